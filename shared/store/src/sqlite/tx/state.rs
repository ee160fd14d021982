//! Changes the state of a memory.

use kimberly_core::Timestamp;
use kimberly_core::error::{Entity, Error, Result};
use kimberly_core::ids::Seq;
use kimberly_core::memory::{ChangeKind, MemoryState};

use super::changes;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::code;
use crate::tables::memories::life;

const SET: &str = "UPDATE memories SET state = ?, life = life | ?, archived_at = ?, delete_after = ?, updated_at = ?, \
     revision = revision + 1, epoch = -1 WHERE seq = ?";

/// The new state of a memory.
pub(super) struct Change {
    pub(super) state: MemoryState,
    pub(super) archived_at: Option<Timestamp>,
    pub(super) delete_after: Option<Timestamp>,
    pub(super) updated_at: Timestamp,
}

pub(super) async fn set(conn: &mut Conn, seq: Seq, change: Change) -> Result<()> {
    conn.settle_index().await?;
    conn.notes.put_off.recall_changed = true;
    let mut args = Args::new()
        .with(code(change.state))
        .with(life(change.state))
        .with(change.archived_at.map(|at| at.0))
        .with(change.delete_after.map(|at| at.0))
        .with(change.updated_at.0)
        .with(seq.0);
    let kind = match change.state {
        MemoryState::Active => ChangeKind::Restored,
        MemoryState::Archived => ChangeKind::Archived,
        MemoryState::Deleted => ChangeKind::Deleted,
    };
    changes::push_changed(&mut args, kind, change.updated_at, seq);
    let sql = format!("{SET}{}", changes::CHANGED);
    if conn.run("changing a memory's state", sql, args).await? == 0 {
        return Err(Error::NotFound { entity: Entity::Memory, id: format!("number {}", seq.0) });
    }
    Ok(())
}
