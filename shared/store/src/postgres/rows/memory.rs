//! Rows of memories.

use kimberly_core::error::Result;
use kimberly_core::memory::Memory;
use sqlx::postgres::PgRow;

use super::Cells;
use crate::sealed::Seals;
use crate::tables::memories::memory_from;

macro_rules! joins {
    () => {
        "LEFT JOIN sessions s ON s.user_id = $1 AND s.no = m.session \
         LEFT JOIN speakers p ON p.user_id = $1 AND p.no = m.speaker \
         LEFT JOIN namespaces n ON n.user_id = $1 AND n.no = m.namespace \
         LEFT JOIN consents o ON o.user_id = $1 AND o.no = m.consent_no"
    };
}

/// The tables that contain the columns of a memory, where the user is `$1`; a condition on `m.user_id` must follow.
pub(crate) const MEMORY_SOURCE: &str = concat!("memories m ", joins!());

/// The tables beside `m`, a row of `memories`, that contain the columns of a memory; the user is `$1`.
pub(crate) const MEMORY_JOINS: &str = joins!();

/// Reads a memory from its columns.
pub(crate) fn memory(row: &PgRow, seals: Option<&Seals>) -> Result<Memory> {
    memory_from(&mut Cells::new(row), seals)
}
