//! What the kinds share that note what records say: a record is read as it is when a change is carried out, since changes hold no
//! text.

use crate::entities::ReadMark;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::Change;
use crate::memory::Memory;
use crate::ports::VaultTransaction;
use crate::tables::{self, TableRow};

/// What was not read.
pub(super) fn unread(change: &Change) -> String {
    match change.subjects.len() {
        1 => "not read since it was written: one memory".to_owned(),
        memories => format!("not read since they were written: {memories} memories"),
    }
}

/// Replaces the rows of the subjects by what `read` finds in them, and marks them as read.
pub(super) async fn note<R: TableRow>(
    tx: &mut dyn VaultTransaction,
    changes: &[&Change],
    read: fn(&Memory) -> Vec<R>,
    (step, rules): (&str, i64),
) -> Result<()> {
    let seqs: Vec<_> = changes.iter().flat_map(|change| &change.subjects).map(|subject| subject.seq).collect();
    let memories = tx.memories(&seqs).await?;
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    tables::delete(tx, &R::query().among(&["memory_id"], ids).with_withheld()).await?;
    let rows: Vec<R> = memories.iter().flat_map(read).collect();
    tables::put(tx, &rows).await?;
    let mark = |memory: &Memory| ReadMark { step: step.to_owned(), memory: memory.id, rules };
    tables::put(tx, &memories.iter().map(mark).collect::<Vec<_>>()).await
}
