//! Erases memories at their owner's request, whatever their state, or by decision of a run.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::ChangeKind;

use super::changes::{self, Told};
use super::counted::{Counted, columns};
use super::{attachments, name_refs};
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};

/// Erases memories and records the changes.
pub(super) async fn now(conn: &mut Conn, seqs: Vec<i64>, at: Timestamp) -> Result<()> {
    let mut gone = remove(conn, seqs, at).await?;
    gone.sort_unstable_by_key(|(seq, _)| *seq);
    changes::tell(conn, (ChangeKind::Erased, at), gone.into_iter().map(|(_, id)| Told::gone(id))).await
}

/// Erases memories with everything that only they used; returns those that existed.
pub(super) async fn remove(conn: &mut Conn, seqs: Vec<i64>, at: Timestamp) -> Result<Vec<(Seq, MemoryId)>> {
    conn.head.recall_changed();
    conn.notes.erased = true;
    name_refs::retain_positions(conn, seqs.clone()).await?;
    let sql = format!(
        "DELETE FROM memories m WHERE m.user_id = $1 AND m.seq = ANY($2) RETURNING m.seq, m.id, {}",
        columns("m")
    );
    let args = conn.args().with(seqs.clone());
    let mut counted = Vec::new();
    let gone = conn
        .rows("erasing memories", sql, args, |row| {
            let c = &mut Cells::new(row);
            let (seq, id) = (Seq(c.int()?), MemoryId(c.uuid()?));
            counted.push(Counted::read(c)?);
            Ok((seq, id))
        })
        .await?;
    for one in counted {
        one.went(&mut conn.head);
    }
    attachments::erased_from(conn, seqs).await?;
    attachments::remove_later(conn, at).await?;
    name_refs::forget_unused(conn).await?;
    Ok(gone)
}
