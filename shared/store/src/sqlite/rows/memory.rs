//! Rows of memories.

use kimberly_core::error::Result;
use kimberly_core::memory::Memory;
use rusqlite::Row;

use super::Cells;
use crate::sealed::Seals;
use crate::tables::memories::memory_from;

/// The tables that contain the columns of a memory.
pub(crate) const MEMORY_SOURCE: &str = "memories m LEFT JOIN sessions s ON s.no = m.session \
     LEFT JOIN speakers p ON p.no = m.speaker LEFT JOIN namespaces n ON n.no = m.namespace \
     LEFT JOIN consents o ON o.no = m.consent_no";

/// Reads a memory from its columns.
pub(crate) fn memory(row: &Row<'_>, seals: Option<&Seals>) -> Result<Memory> {
    memory_from(&mut Cells::new(row), seals)
}
