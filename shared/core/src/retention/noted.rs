//! The temperature of each record at the last meditation, and its table. A record without a row was hot, as new records
//! are.

use super::Temperature;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::tables::{Cells, Column, Row, RowQuery, Table, TableRow};

/// A temperature recorded by a meditation. The current temperature is computed on request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedTemperature {
    /// The record.
    pub memory: MemoryId,
    /// Its recorded temperature.
    pub temperature: Temperature,
}

impl NotedTemperature {
    /// Returns a query for the records recorded as cold.
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
