//! The row of a change of a memory.

use kimberly_core::error::Result;
use kimberly_core::ids::MemoryId;
use kimberly_core::memory::Change;
use kimberly_core::ports::SeenChange;

use super::ReadRow;
use crate::codes::from_code;
use crate::sealed::Seals;
use crate::tables::memories::memory_from;

/// The first columns that [`seen_change`] reads, from `changes c`. After them come whether the memory passes the filter,
/// whether it is gone, and its columns.
pub(crate) const CHANGE_COLUMNS: &str = "c.no, c.kind, c.reason, c.revision, c.at, c.memory_id";

/// Reads a change, and its memory if there is one that passes and is asked for.
pub(crate) fn seen_change<'r>(
    c: &mut impl ReadRow<'r>,
    with_memories: bool,
    seals: Option<&Seals>,
) -> Result<SeenChange> {
    let number = c.count()?;
    let kind = from_code(c.int()?)?;
    let reason = c.opt_int()?.map(from_code).transpose()?;
    let (revision, at, memory_id) = (c.count()?, c.time()?, MemoryId(c.uuid()?));
    let (passes, gone) = (c.flag()?, c.flag()?);
    let change = Change { number, kind, memory_id, at, reason, revision };
    let memory = if with_memories && passes && !gone { Some(memory_from(c, seals)?) } else { None };
    Ok(SeenChange { change, passes, memory })
}
