//! Marks of records that a nightly step has read, and their table. Derived data: a record without a row must still be
//! read. Any change to a record's text removes its rows.

use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::memory::MemoryState;
use crate::ports::VaultReader;
use crate::tables::{self, Cells, Column, Row, RowQuery, Table, TableRow};

/// Marks a record as read by a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadMark {
    /// The step's name.
    pub step: String,
    /// The record.
    pub memory: MemoryId,
    /// Version of the rules it was read with.
    pub rules: i64,
}

impl ReadMark {
    /// Queries the records that a step has read with these rules or later ones.
    pub fn of(step: &str, rules: i64) -> RowQuery {
        Self::query().is("step", step).that(tables::Condition::From("rules", rules.into()))
    }

    /// Returns the numbers of the active records that a step has not read with these rules or later ones, in order.
    pub async fn unread_by(reader: &mut dyn VaultReader, step: &str, rules: i64) -> Result<Vec<Seq>> {
        let mut read = Self::of(step, rules);
        read.memories.states = vec![MemoryState::Active];
        reader.seqs_without_row(&read).await
    }
}

impl TableRow for ReadMark {
    const TABLE: &'static Table = &Table {
        name: "read_marks",
        keys: 2,
        columns: &[Column::text("step"), Column::memory("memory_id"), Column::int("rules")],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![self.step.as_str().into(), self.memory.into(), self.rules.into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self { step: c.text()?, memory: c.memory()?, rules: c.int()? })
    }
}
