//! Changes the state of a memory.

use kimberly_core::Timestamp;
use kimberly_core::error::{Entity, Error, Result};
use kimberly_core::ids::Seq;
use kimberly_core::memory::{ChangeKind, MemoryState};

use super::changes::{self, Told};
use super::counted::alter;
use crate::postgres::conn::Conn;
use crate::postgres::rows::code;
use crate::tables::memories::life;

const SET: &str = "state = $3, life = old.life | $4, archived_at = $5, delete_after = $6, updated_at = $7, \
     revision = old.revision + 1, epoch = -1";
const WITHOUT_INDEX: &str = ", indexed = NULL, tokens = 0";

/// The new state of a memory.
pub(super) struct Change {
    pub(super) state: MemoryState,
    pub(super) archived_at: Option<Timestamp>,
    pub(super) delete_after: Option<Timestamp>,
    pub(super) updated_at: Timestamp,
}

pub(super) async fn set(conn: &mut Conn, seq: Seq, change: Change) -> Result<()> {
    conn.head.recall_changed();
    let args = conn
        .args()
        .with(seq.0)
        .with(code(change.state))
        .with(life(change.state))
        .with(change.archived_at.map(|at| at.0))
        .with(change.delete_after.map(|at| at.0))
        .with(change.updated_at.0);
    let (kind, index) = match change.state {
        MemoryState::Active => (ChangeKind::Restored, ""),
        MemoryState::Archived => (ChangeKind::Archived, ""),
        MemoryState::Deleted => (ChangeKind::Deleted, WITHOUT_INDEX),
    };
    let altered = alter(conn, "changing a memory's state", (&format!("{SET}{index}"), "m.seq = $2"), args).await?;
    if altered.is_empty() {
        return Err(Error::NotFound { entity: Entity::Memory, id: format!("number {}", seq.0) });
    }
    changes::tell(conn, (kind, change.updated_at), altered.iter().map(Told::from)).await
}
