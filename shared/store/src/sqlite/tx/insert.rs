//! Inserts new memories, and imported records with their history.

use std::sync::LazyLock;

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::memory::{MemoryDraft, MemoryRecord};
use kimberly_core::ports::NewMemory;

use super::{changes, name_refs, names, repeated};
use crate::chunks::chunks;
use crate::name_refs::NameRefs;
use crate::names::wanted;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::reader::usage;
use crate::sqlite::rows::unsigned;
use crate::sqlite::schema::late::{self, LASTING};
use crate::tables::memories::{INSERTED, Stored, inserted, life_of, push_inserted};

const TOTALS: &str = "UPDATE counters SET items = items + ? WHERE slot = 10;\
     UPDATE counters SET items = items + ? WHERE slot = 11";
static ROW: LazyLock<String> = LazyLock::new(|| format!("({})", vec!["?"; INSERTED].join(",")));

/// Inserts new memories: active, never seen, without outcomes.
pub(super) async fn insert(conn: &mut Conn, memories: &[NewMemory]) -> Result<Vec<Seq>> {
    let records: Vec<_> = memories.iter().cloned().map(NewMemory::into_record).collect();
    insert_rows(conn, &records, None).await
}

/// Inserts records with everything stored about them elsewhere.
pub(super) async fn insert_records(conn: &mut Conn, records: &[MemoryRecord], at: Timestamp) -> Result<Vec<Seq>> {
    let seqs = insert_rows(conn, records, Some(at)).await?;
    count_lives(conn, records).await?;
    Ok(seqs)
}

/// Inserts memories; their changes are dated `at`, or if `None`, at the memory's creation time.
async fn insert_rows(conn: &mut Conn, records: &[MemoryRecord], at: Option<Timestamp>) -> Result<Vec<Seq>> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    if records.iter().any(|record| record.memory.draft.lasts()) {
        late::create(conn, LASTING).await?;
    }
    let first = next_seq(conn).await?;
    let last = first + i64::try_from(records.len()).unwrap_or(i64::MAX) - 1;
    let drafts: Vec<&MemoryDraft> = records.iter().map(|record| &record.memory.draft).collect();
    let all_refs = name_refs::resolve(conn, &drafts, last).await?;
    let numbered: Vec<_> = records.iter().zip(all_refs).zip(first..).collect();
    names::refuse_taken(conn, wanted(numbered.iter().map(|((record, refs), seq)| (&record.memory, refs, *seq)))?)
        .await?;
    for chunk in chunks(&numbered) {
        insert_chunk(conn, chunk, at).await?;
    }
    conn.notes.next_seq = Some(last + 1);
    conn.notes.add_unindexed(first, last);
    Ok((first..=last).map(Seq).collect())
}

async fn next_seq(conn: &mut Conn) -> Result<i64> {
    if conn.notes.next_seq.is_none() {
        usage(conn).await?;
    }
    conn.notes.next_seq.ok_or_else(|| errors::corrupt("the number of memories is unknown"))
}

async fn insert_chunk(
    conn: &mut Conn,
    chunk: &[((&MemoryRecord, NameRefs), i64)],
    at: Option<Timestamp>,
) -> Result<()> {
    let rows = repeated(&ROW, chunk.len());
    let sql = format!("INSERT INTO memories ({}) VALUES {rows}{}", inserted(), changes::CREATED);
    let mut args = Args::new();
    for ((record, refs), seq) in chunk {
        push_inserted(&mut args, &Stored::of_record(record, refs, *seq), conn.seals.as_deref())?;
    }
    if let [((record, _), first), ..] = chunk {
        let last = first + i64::try_from(chunk.len()).unwrap_or(i64::MAX) - 1;
        changes::push_created(&mut args, at.unwrap_or(record.memory.created_at), *first, last);
    }
    conn.run("inserting memories", sql, args).await?;
    Ok(())
}

/// Counts records that were archived or deleted before; inserting does not, because new memories never were.
async fn count_lives(conn: &mut Conn, records: &[MemoryRecord]) -> Result<()> {
    let with = |bit: i64| records.iter().filter(|record| life_of(record) & bit != 0).count() as u64;
    let (archived, deleted) = (with(1), with(2));
    if archived + deleted > 0 {
        let args = Args::new().with(unsigned(deleted)).with(unsigned(archived));
        conn.run("counting record lifetimes", TOTALS, args).await?;
    }
    Ok(())
}
