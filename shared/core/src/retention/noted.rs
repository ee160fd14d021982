//! How warm a record was when a night last looked, and its table: what has no row was hot, as it is when it is new.

use super::{Connections, Temperature, WarmthReason};
use crate::entities::Tie;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Direction, Link};
use crate::memory::Memory;
use crate::ports::VaultReader;
use crate::tables::{self, Cells, Column, Row, Table, TableRow};
use crate::time::Timestamp;

/// What a night noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedTemperature {
    /// The record.
    pub memory: MemoryId,
    /// How warm it was by then,
    pub temperature: Temperature,
    /// why,
    pub reason: WarmthReason,
    /// and when.
    pub since: Timestamp,
}

impl NotedTemperature {
    /// Whether the record is still cold: it was noted so, and nothing was done about it since.
    pub fn is_still_cold(&self, memory: &Memory) -> bool {
        let untouched = memory.last_seen_at <= self.since && memory.updated_at <= self.since;
        self.temperature == Temperature::Cold && untouched
    }
}

impl TableRow for NotedTemperature {
    const TABLE: &'static Table = &Table {
        name: "temperatures",
        keys: 1,
        columns: &[
            Column::memory("memory_id"),
            Column::text("temperature"),
            Column::text("reason"),
            Column::int("since"),
        ],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![self.memory.into(), self.temperature.name().into(), self.reason.name().into(), self.since.into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self {
            memory: c.memory()?,
            temperature: c.named(Temperature::from_name)?,
            reason: c.named(WarmthReason::from_name)?,
            since: c.time()?,
        })
    }
}

impl Connections {
    /// Those of a record.
    pub(crate) async fn of(reader: &mut dyn VaultReader, id: MemoryId, now: Timestamp) -> Result<Self> {
        let mut found = Self::default();
        let links = Link::of([id], Direction::Both).without(&["evidence"]);
        tables::find::<Link>(reader, &links).await?.iter().for_each(|link| found.add(link.created_at, now));
        let ties = Tie::query().is("memory_id", id);
        tables::find::<Tie>(reader, &ties).await?.iter().for_each(|tie| found.add(tie.at, now));
        Ok(found)
    }
}
