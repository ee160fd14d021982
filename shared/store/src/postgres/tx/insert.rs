//! Inserts new memories and records.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::memory::{ChangeKind, MemoryDraft, MemoryRecord, MemoryState};
use kimberly_core::ports::NewMemory;

use super::changes::{self, Told};
use super::counted::Counted;
use super::index::{self, Indexed};
use super::{name_refs, names, numbered};
use crate::chunks::chunks;
use crate::name_refs::NameRefs;
use crate::names::wanted;
use crate::postgres::conn::Conn;
use crate::postgres::rows::unsigned;
use crate::slots;
use crate::tables::memories::{INSERTED, Stored, inserted, life_of, push_inserted};

/// Inserts new memories: active, never seen, without outcomes.
pub(super) async fn insert(conn: &mut Conn, memories: &[NewMemory]) -> Result<Vec<Seq>> {
    let records: Vec<_> = memories.iter().cloned().map(NewMemory::into_record).collect();
    let seqs = insert_rows(conn, &records).await?;
    for records in records.chunk_by(|one, next| one.memory.created_at == next.memory.created_at) {
        if let Some(first) = records.first() {
            tell(conn, records, first.memory.created_at).await?;
        }
    }
    Ok(seqs)
}

/// Inserts records with everything stored about them elsewhere.
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
    let all_refs = name_refs::resolve(conn, &drafts, last).await?;
    let numbered: Vec<_> = records.iter().zip(all_refs).zip(first..).collect();
    names::refuse_taken(conn, wanted(numbered.iter().map(|((record, refs), seq)| (&record.memory, refs, *seq)))?)
        .await?;
    for chunk in chunks(&numbered) {
        insert_chunk(conn, chunk).await?;
    }
    Ok((first..=last).map(Seq).collect())
}

async fn insert_chunk(conn: &mut Conn, chunk: &[((&MemoryRecord, NameRefs), i64)]) -> Result<()> {
    let seals = conn.sealing()?;
    let indexed = index_of(conn, chunk, seals.are_on()).await?;
    let (mut args, mut rows) = (conn.args(), Vec::with_capacity(chunk.len()));
    for (((record, refs), seq), indexed) in chunk.iter().zip(indexed) {
        let first = args.len() + 1;
        push_inserted(&mut args, &Stored::of_record(record, refs, *seq), Some(&seals))?;
        let values = numbered(first, INSERTED);
        let tokens = indexed.as_ref().map(|indexed| indexed.tokens);
        let words = args.push(indexed.map(|indexed| indexed.words));
        rows.push(format!("($1, {values}, ${words}::tsvector, ${})", args.push(tokens.unwrap_or_default())));
        count(conn, record, tokens);
    }
    let sql = format!("INSERT INTO memories (user_id, {}, indexed, tokens) VALUES {}", inserted(), rows.join(","));
    conn.run("inserting memories", sql, args).await?;
    Ok(())
}

/// Computes the index columns of each record; `None` for those that do not belong in the index.
async fn index_of(
    conn: &Conn,
    chunk: &[((&MemoryRecord, NameRefs), i64)],
    seals: bool,
) -> Result<Vec<Option<Indexed>>> {
    let belongs = |record: &MemoryRecord| {
        let memory = &record.memory;
        memory.state != MemoryState::Deleted && !memory.withheld && !(seals && memory.draft.metadata.sensitive)
    };
    let texts: Vec<_> = chunk
        .iter()
        .filter(|((record, _), _)| belongs(record))
        .map(|((record, _), _)| record.memory.draft.search_text().into_owned())
        .collect();
    let mut indexed = index::of(conn, &texts).await?.into_iter();
    Ok(chunk.iter().map(|((record, _), _)| if belongs(record) { indexed.next() } else { None }).collect())
}

fn count(conn: &mut Conn, record: &MemoryRecord, tokens: Option<i64>) {
    let memory = &record.memory;
    let (tier, state, life) = (memory.draft.tier, memory.state, life_of(record));
    let counted = Counted { tier, state, size_bytes: unsigned(memory.size_bytes), life, tokens };
    counted.came(&mut conn.head);
    Counted::lived_through(life, &mut conn.head);
    conn.head.add(slots::CREATED, 1, 0);
}
