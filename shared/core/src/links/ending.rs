//! Endings: statements that a record no longer holds, with reasons, and their table.

use crate::error::Result;
use crate::ids::MemoryId;
use crate::tables::{Cells, Column, Row, Table, TableRow};
use crate::time::Timestamp;

/// A statement that a record holds until a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// The record.
    pub memory: MemoryId,
    /// When it was stated.
    pub at: Timestamp,
    /// When the record ceases to hold.
    pub until: Option<Timestamp>,
    /// The reason; may be empty.
    pub why: String,
}

impl TableRow for Ending {
    const TABLE: &'static Table = &Table {
        name: "endings",
        keys: 2,
        columns: &[
            Column::memory("memory_id"),
            Column::int("at"),
            Column::int("until").or_null(),
            Column::words("why", "endings.why"),
        ],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![self.memory.into(), self.at.into(), self.until.into(), self.why.as_str().into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self { memory: c.memory()?, at: c.time()?, until: c.opt_time()?, why: c.text()? })
    }
}
