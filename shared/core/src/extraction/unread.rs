//! Turns that extraction has still to read, and their table. The transaction that stores what a turn yields removes its row,
//! so that each turn is read once.

use crate::error::Result;
use crate::ids::MemoryId;
use crate::tables::{Cells, Column, Row, Table, TableRow};
use crate::time::Timestamp;

/// A turn that was observed and not read yet. Rows come in the order of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadTurn {
    /// When it was observed; some time later where a caller waits for it to be read, who does that before.
    pub due: Timestamp,
    /// Its place in the conversation.
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
