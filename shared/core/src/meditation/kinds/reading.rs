//! Shared code of the kinds that note what records say. A record is read in its present state when a change is carried
//! out, since changes hold no text.

use std::collections::BTreeSet;

use crate::beliefs::ClaimRow;
use crate::entities::{Fresh, Graph, Mention, ReadMark, Tie};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::Change;
use crate::meditation::forget_read;
use crate::memory::Memory;
use crate::ports::VaultTransaction;
use crate::tables::{self, Cell, RowQuery, TableRow};
use crate::tagging::AutoTag;
use crate::time::Timestamp;

/// Records whose rows are removed in one transaction.
const FORGOTTEN: usize = 128;

/// Explains how many memories were not read.
pub(super) fn unread(change: &Change) -> String {
    match change.subjects.len() {
        1 => "not read since it was written: one memory".to_owned(),
        memories => format!("not read since they were written: {memories} memories"),
    }
}

/// Replaces the rows of the subjects by what `read` finds in them, and marks the subjects as read.
pub(super) async fn note<R: TableRow>(
    tx: &mut dyn VaultTransaction,
    changes: &[&Change],
    read: fn(&Memory) -> Vec<R>,
    (step, rules): (&str, i64),
) -> Result<()> {
    let memories = subjects(tx, changes).await?;
    let rows: Vec<R> = memories.iter().flat_map(read).collect();
    replace(tx, &memories, &rows, (step, rules)).await
}

/// Reads the subjects in their present state.
pub(super) async fn subjects(tx: &mut dyn VaultTransaction, changes: &[&Change]) -> Result<Vec<Memory>> {
    let seqs: Vec<_> = changes.iter().flat_map(|change| &change.subjects).map(|subject| subject.seq).collect();
    tx.memories(&seqs).await
}

/// Reads the subjects in their present state, and the plan's entities that they name now. Looks at no other record,
/// because the transaction that carries out changes blocks all writes.
pub(super) async fn named(
    tx: &mut dyn VaultTransaction,
    changes: &[&Change],
    (graph, now): (&Graph, Timestamp),
) -> Result<(Vec<Memory>, Graph)> {
    let memories = subjects(tx, changes).await?;
    let mut fresh = Fresh::default();
    for memory in &memories {
        fresh.read(memory, now);
    }
    Ok((memories, graph.within(fresh)))
}

/// Replaces the rows of memories, and marks the memories as read.
pub(super) async fn replace<R: TableRow>(
    tx: &mut dyn VaultTransaction,
    memories: &[Memory],
    rows: &[R],
    (step, rules): (&str, i64),
) -> Result<()> {
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    tables::delete(tx, &R::query().among(&["memory_id"], ids).with_withheld()).await?;
    tables::put(tx, rows).await?;
    let mark = |memory: &Memory| ReadMark { step: step.to_owned(), memory: memory.id, rules };
    tables::put(tx, &memories.iter().map(mark).collect::<Vec<_>>()).await
}

/// Returns queries for all rows that steps derive from records.
fn found() -> [RowQuery; 4] {
    [Mention::query(), Tie::query(), ClaimRow::query(), AutoTag::query()]
}

/// Removes everything derived from the texts of some records, those of the marks after a key. Returns the key of the last
/// one; `None` if there are no more. Rows and marks of a record go together: one without marks is read again.
pub(crate) async fn forget_some(tx: &mut dyn VaultTransaction, after: Vec<Cell>) -> Result<Option<Vec<Cell>>> {
    let query = ReadMark::query().with_withheld().behind(after).at_most(FORGOTTEN);
    let marks = tables::find::<ReadMark>(tx.as_reader(), &query).await?;
    let Some(last) = marks.last() else { return Ok(None) };
    let after = vec![last.step.as_str().into(), last.memory.into()];
    let ids: BTreeSet<MemoryId> = marks.iter().map(|mark| mark.memory).collect();
    for query in found().into_iter().chain([ReadMark::query()]) {
        tables::delete(tx, &query.among(&["memory_id"], ids.iter().copied()).with_withheld()).await?;
    }
    forget_read(tx).await?;
    Ok(Some(after))
}

/// Removes everything derived from one record's text, so that it is read again.
pub(crate) async fn forget(tx: &mut dyn VaultTransaction, id: MemoryId) -> Result<()> {
    for query in found().into_iter().chain([ReadMark::query()]) {
        tables::delete(tx, &query.is("memory_id", id).with_withheld()).await?;
    }
    Ok(())
}
