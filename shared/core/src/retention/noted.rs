//! How warm a record was when a night last looked, and its table: what has no row was hot, as it is when it is new.

use super::Temperature;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::tables::{Cells, Column, Row, RowQuery, Table, TableRow};

/// What a night noted. How warm a record is now is computed when that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedTemperature {
    /// The record,
    pub memory: MemoryId,
    /// and how warm it was.
    pub temperature: Temperature,
}

impl NotedTemperature {
    /// A query for what was noted as cold.
    pub(crate) fn cold() -> RowQuery {
        Self::query().is("temperature", Temperature::Cold.name())
    }
}

impl TableRow for NotedTemperature {
    const TABLE: &'static Table = &Table {
        name: "temperatures",
        keys: 1,
        columns: &[Column::memory("memory_id"), Column::text("temperature")],
        indices: &[&["temperature"]],
    };

    fn to_row(&self) -> Row {
        vec![self.memory.into(), self.temperature.name().into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self { memory: c.memory()?, temperature: c.named(Temperature::from_name)? })
    }
}
