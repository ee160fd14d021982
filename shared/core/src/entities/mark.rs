//! That a step of the night has read a record as it is, and its table: what has no row is still to be read. Derived. Whatever
//! changes the text of a record removes its rows.

use std::collections::HashSet;

use crate::error::Result;
use crate::ids::MemoryId;
use crate::ports::VaultReader;
use crate::tables::{self, Cells, Column, Row, RowQuery, Table, TableRow};

/// That a step has read a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadMark {
    /// The step's name.
    pub step: String,
    /// The record.
    pub memory: MemoryId,
    /// By which version of its rules.
    pub rules: i64,
}

impl ReadMark {
    /// A query for the records that a step has read, by these rules or later ones.
    pub fn of(step: &str, rules: i64) -> RowQuery {
        Self::query().is("step", step).that(tables::Condition::From("rules", rules.into()))
    }

    /// Those records.
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
