//! Turns that extraction has not read yet, and their table. The transaction that stores a turn's results removes its
//! row, so that each turn is read once.

use crate::error::Result;
use crate::ids::MemoryId;
use crate::tables::{Cells, Column, Row, Table, TableRow};
use crate::time::Timestamp;

/// An observed turn that was not read yet. Rows are ordered as in the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadTurn {
    /// When the background job reads it: on observation, or later if a caller waits for it and reads it first.
    pub due: Timestamp,
    /// Position in the conversation.
    pub position: i64,
    /// The turn.
    pub turn: MemoryId,
}

impl TableRow for UnreadTurn {
    const TABLE: &'static Table = &Table {
        name: "unread_turns",
        keys: 3,
        columns: &[Column::int("due_at"), Column::int("position"), Column::memory("turn_id")],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![self.due.into(), self.position.into(), self.turn.into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self { due: c.time()?, position: c.int()?, turn: c.memory()? })
    }
}
