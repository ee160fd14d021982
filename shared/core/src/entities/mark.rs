//! Marks of records that a nightly step has read, and their table. Derived data: a record without a row must still be
//! read. Any change to a record's text removes its rows.

use std::collections::HashSet;

use crate::error::Result;
use crate::ids::MemoryId;
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

    /// Returns the ids of those records.
    pub async fn read_by(reader: &mut dyn VaultReader, step: &str, rules: i64) -> Result<HashSet<MemoryId>> {
        let marks = tables::find::<Self>(reader, &Self::of(step, rules)).await?;
        Ok(marks.into_iter().map(|mark| mark.memory).collect())
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
