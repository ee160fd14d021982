//! Memories that come with everything that was kept about them elsewhere.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::memory::{MemoryDraft, MemoryRecord};
use kimberly_core::scoring::ScoreRecord;

use super::insert::next_seq;
use super::places;
use super::{changes, memory_row, repeated, state};
use crate::chunks::chunks;
use crate::places::Place;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{DRAFT_COLUMNS, Texts, code, push_memory_values, unsigned};

/// To be scored by the next meditation, whose goals may be others.
const ROW: (usize, &str) = (14, "-1,?,?,?,?,?,?,?,?,?");
const TOTALS: &str = "UPDATE counters SET items = items + ? WHERE slot = 10;\
     UPDATE counters SET items = items + ? WHERE slot = 11";

pub(super) async fn insert(conn: &mut Conn, records: &[MemoryRecord], at: Timestamp) -> Result<Vec<Seq>> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let first = next_seq(conn).await?;
    let last = first + i64::try_from(records.len()).unwrap_or(i64::MAX) - 1;
    let drafts: Vec<&MemoryDraft> = records.iter().map(|record| &record.memory.draft).collect();
    let places = places::resolve_drafts(conn, &drafts, last).await?;
    let numbered: Vec<_> = records.iter().zip(places).zip(first..).collect();
    for chunk in chunks(&numbered) {
        insert_chunk(conn, chunk, at).await?;
    }
    count_lives(conn, records).await?;
    conn.notes.next_seq = Some(last + 1);
    conn.notes.add_unindexed(first, last);
    Ok((first..=last).map(Seq).collect())
}

async fn insert_chunk(conn: &mut Conn, chunk: &[((&MemoryRecord, Place), i64)], at: Timestamp) -> Result<()> {
    let sql = format!(
        "INSERT INTO memories (seq, id, session, position, speaker, speaker_name, created_at, updated_at, \
         last_seen_at, score, score_record, namespace, consent_no, withheld, {DRAFT_COLUMNS}, epoch, state, life, helpful, unhelpful, access_count, \
         revision, schema_version, archived_at, delete_after) VALUES {}{}",
        repeated(&memory_row(ROW.0, ROW.1), chunk.len()),
        changes::CREATED
    );
    let mut args = Args::new();
    let (mut first, mut last) = (i64::MAX, i64::MIN);
    for ((record, place), seq) in chunk {
        let texts = Texts::of(record.memory.id, &record.memory.draft, conn.seals.as_deref())?;
        push(&mut args, record, (place, texts), *seq);
        (first, last) = (first.min(*seq), last.max(*seq));
    }
    changes::push_created(&mut args, at, first, last);
    conn.run("inserting records", sql, args).await?;
    Ok(())
}

fn push(args: &mut Args, record: &MemoryRecord, (place, texts): (&Place, Texts), seq: i64) {
    let memory = &record.memory;
    args.push(seq);
    args.push(memory.id.0.as_bytes().to_vec());
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
    args.push(memory.withheld);
    push_memory_values(args, (&memory.draft, texts), memory.traits, memory.sentiment, memory.size_bytes);
    args.push(code(memory.state));
    args.push(life(record));
    args.push(unsigned(record.helpful));
    args.push(unsigned(record.unhelpful));
    args.push(unsigned(memory.access_count));
    args.push(unsigned(memory.revision));
    args.push(memory.schema_version);
    args.push(memory.archived_at.map(|at| at.0));
    args.push(memory.delete_after.map(|at| at.0));
}

/// The bits of `memories.life`.
fn life(record: &MemoryRecord) -> i64 {
    state::life(record.memory.state) | i64::from(record.was_archived) | i64::from(record.was_deleted) << 1
}

/// Inserting counts no lives: new memories had none.
async fn count_lives(conn: &mut Conn, records: &[MemoryRecord]) -> Result<()> {
    let with = |bit: i64| records.iter().filter(|record| life(record) & bit != 0).count() as u64;
    let (archived, deleted) = (with(1), with(2));
    if archived + deleted > 0 {
        let args = Args::new().with(unsigned(deleted)).with(unsigned(archived));
        conn.run("counting the lives of records", TOTALS, args).await?;
    }
    Ok(())
}
