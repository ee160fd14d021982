//! New memories.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::memory::{ChangeKind, MemoryDraft, MemoryRecord, MemoryState};
use kimberly_core::ports::NewMemory;
use kimberly_core::scoring::ScoreRecord;

use super::changes::{self, Told};
use super::counted::Counted;
use super::index::{self, Indexed};
use super::{numbered, places, state};
use crate::chunks::chunks;
use crate::places::Place;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::rows::{DRAFT_COLUMNS, Texts, code, push_memory_values, unsigned};
use crate::slots;

/// Columns that [`push`] fills in front of those of the draft and the index.
const COLUMNS: &str = "seq, id, session, position, speaker, speaker_name, created_at, updated_at, last_seen_at, score, \
     score_record, namespace, consent_no, withheld, state, life, helpful, unhelpful, access_count, revision, \
     schema_version, archived_at, delete_after";

/// Inserts memories that are active, never seen and helpful to none.
pub(super) async fn insert(conn: &mut Conn, memories: &[NewMemory]) -> Result<Vec<Seq>> {
    let records: Vec<_> = memories.iter().map(as_record).collect();
    let seqs = insert_rows(conn, &records).await?;
    for records in records.chunk_by(|one, next| one.memory.created_at == next.memory.created_at) {
        if let Some(first) = records.first() {
            tell(conn, records, first.memory.created_at).await?;
        }
    }
    Ok(seqs)
}

fn as_record(new: &NewMemory) -> MemoryRecord {
    let (memory, score) = new.clone().into_memory(Seq(0));
    let (helpful, unhelpful, was_archived, was_deleted) = (0, 0, false, false);
    MemoryRecord { memory, score: Some(score), helpful, unhelpful, was_archived, was_deleted }
}

/// Inserts memories with everything that was kept about them elsewhere.
pub(super) async fn insert_records(conn: &mut Conn, records: &[MemoryRecord], at: Timestamp) -> Result<Vec<Seq>> {
    let seqs = insert_rows(conn, records).await?;
    tell(conn, records, at).await?;
    Ok(seqs)
}

async fn tell(conn: &mut Conn, records: &[MemoryRecord], at: Timestamp) -> Result<()> {
    let told = records.iter().map(|record| {
        let revision = unsigned(record.memory.revision);
        Told { id: record.memory.id, revision, reason: None }
    });
    changes::tell(conn, (ChangeKind::Created, at), told).await
}

async fn insert_rows(conn: &mut Conn, records: &[MemoryRecord]) -> Result<Vec<Seq>> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let first = conn.head.items(slots::CREATED) + 1;
    let last = first + i64::try_from(records.len()).unwrap_or(i64::MAX) - 1;
    let drafts: Vec<&MemoryDraft> = records.iter().map(|record| &record.memory.draft).collect();
    let places = places::resolve(conn, &drafts, last).await?;
    let numbered: Vec<_> = records.iter().zip(places).zip(first..).collect();
    for chunk in chunks(&numbered) {
        insert_chunk(conn, chunk).await?;
    }
    Ok((first..=last).map(Seq).collect())
}

async fn insert_chunk(conn: &mut Conn, chunk: &[((&MemoryRecord, Place), i64)]) -> Result<()> {
    let seals = conn.sealing()?;
    let indexed = index_of(conn, chunk, seals.are_on()).await?;
    let (mut args, mut rows) = (conn.args(), Vec::with_capacity(chunk.len()));
    for (((record, place), seq), indexed) in chunk.iter().zip(indexed) {
        let texts = Texts::of(record.memory.id, &record.memory.draft, Some(&seals))?;
        let first = args.len() + 1;
        push(&mut args, record, (place, texts), *seq);
        let values = numbered(first, args.len() + 1 - first);
        let tokens = indexed.as_ref().map(|indexed| indexed.tokens);
        let words = args.push(indexed.map(|indexed| indexed.words));
        rows.push(format!("($1, {values}, ${words}::tsvector, ${})", args.push(tokens.unwrap_or_default())));
        count(conn, record, tokens);
    }
    let sql = format!(
        "INSERT INTO memories (user_id, {COLUMNS}, {DRAFT_COLUMNS}, indexed, tokens) VALUES {}",
        rows.join(",")
    );
    conn.run("inserting memories", sql, args).await?;
    Ok(())
}

/// What the index takes of each; nothing of what it must not hold.
async fn index_of(conn: &Conn, chunk: &[((&MemoryRecord, Place), i64)], seals: bool) -> Result<Vec<Option<Indexed>>> {
    let belongs = |record: &MemoryRecord| {
        let memory = &record.memory;
        memory.state != MemoryState::Deleted && !memory.withheld && !(seals && memory.draft.metadata.sensitive)
    };
    let texts: Vec<_> = chunk
        .iter()
        .filter(|((record, _), _)| belongs(record))
        .map(|((record, _), _)| record.memory.draft.content.clone())
        .collect();
    let mut indexed = index::of(conn, &texts).await?.into_iter();
    Ok(chunk.iter().map(|((record, _), _)| if belongs(record) { indexed.next() } else { None }).collect())
}

fn push(args: &mut Args, record: &MemoryRecord, (place, texts): (&Place, Texts), seq: i64) {
    let memory = &record.memory;
    args.push(seq);
    args.push(memory.id.0);
    args.push(place.spot.map(|spot| spot.session));
    args.push(place.spot.map(|spot| spot.position));
    args.push(place.speaker);
    args.push(place.speaker_name.clone());
    args.push(memory.created_at.0);
    args.push(memory.updated_at.0);
    args.push(memory.last_seen_at.0);
    args.push(memory.score);
    args.push(record.score.as_ref().map(ScoreRecord::to_compact));
    args.push(place.namespace);
    args.push(place.consent);
    args.push(i64::from(memory.withheld));
    args.push(code(memory.state));
    args.push(life(record));
    args.push(unsigned(record.helpful));
    args.push(unsigned(record.unhelpful));
    args.push(unsigned(memory.access_count));
    args.push(unsigned(memory.revision));
    args.push(i64::from(memory.schema_version));
    args.push(memory.archived_at.map(|at| at.0));
    args.push(memory.delete_after.map(|at| at.0));
    push_memory_values(args, (&memory.draft, texts), memory.traits, memory.sentiment, memory.size_bytes);
}

/// The bits of `memories.life`.
fn life(record: &MemoryRecord) -> i64 {
    state::life(record.memory.state) | i64::from(record.was_archived) | i64::from(record.was_deleted) << 1
}

fn count(conn: &mut Conn, record: &MemoryRecord, tokens: Option<i64>) {
    let memory = &record.memory;
    let (tier, state, life) = (memory.draft.tier, memory.state, life(record));
    let counted = Counted { tier, state, size_bytes: unsigned(memory.size_bytes), life, tokens };
    counted.came(&mut conn.head);
    Counted::lived_through(life, &mut conn.head);
    conn.head.add(slots::CREATED, 1, 0);
}
