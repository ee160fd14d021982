//! Erases memories at their owner's request, whatever their state.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::memory::ChangeKind;

use super::{attachments, name_refs};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter::json_numbers;
use crate::sqlite::rows::code;

const TELL: &str = "INSERT INTO changes (kind, at, revision, memory_id) \
     SELECT ?, ?, 0, id FROM memories WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq";
const ERASE: &str = "DELETE FROM memories WHERE seq IN (SELECT value FROM json_each(?))";

/// Erases memories. A trigger removes them from the full-text index and the counters; the log is emptied afterwards.
pub(super) async fn now(conn: &mut Conn, seqs: impl Iterator<Item = i64>, at: Timestamp) -> Result<()> {
    let seqs = json_numbers(seqs);
    conn.settle_index().await?;
    conn.notes.put_off.recall_changed = true;
    conn.notes.erased = true;
    name_refs::retain_positions(conn, seqs.clone()).await?;
    let args = Args::new().with(code(ChangeKind::Erased)).with(at.0).with(seqs.clone());
    conn.run("recording erased memories", TELL, args).await?;
    conn.run("erasing memories", ERASE, Args::new().with(seqs)).await?;
    attachments::remove_later(conn, at).await?;
    name_refs::forget_unused(conn).await
}
