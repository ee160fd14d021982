//! Memories.

use kimberly_core::error::Result;
use kimberly_core::memory::Memory;
use sqlx::sqlite::SqliteRow;

use super::Cells;
use crate::sealed::Seals;
use crate::tables::memories::memory_from;

/// Where the columns of a memory are.
pub(crate) const MEMORY_SOURCE: &str = "memories m LEFT JOIN sessions s ON s.no = m.session \
     LEFT JOIN speakers p ON p.no = m.speaker LEFT JOIN namespaces n ON n.no = m.namespace \
     LEFT JOIN consents o ON o.no = m.consent_no";

/// A memory from its columns alone.
pub(crate) fn memory(row: &SqliteRow, seals: Option<&Seals>) -> Result<Memory> {
    memory_from(&mut Cells::new(row), seals)
}
