//! Memories and goals that have vectors.

use kimberly_core::embedding::{EligibleSubject, VectorSubject, Worth};
use kimberly_core::error::Result;
use kimberly_core::ids::{GoalId, Seq};

use super::ReadRow;

/// The query that [`memory_subject`] reads, over memories that should have vectors. `state`: 1 is archived, 2 deleted;
/// `embed`: 1 is always, 2 never.
pub(crate) const MEMORY_SUBJECTS: &str = "SELECT seq, revision, embed = 1, state = 1, \
     session IS NOT NULL AND speaker IS NOT NULL, words, score FROM memories \
     WHERE state <> 2 AND NOT sensitive AND withheld = 0 AND embed <> 2";

/// Reads a memory from [`MEMORY_SUBJECTS`].
pub(crate) fn memory_subject<'r>(c: &mut impl ReadRow<'r>) -> Result<EligibleSubject> {
    let (subject, revision) = (VectorSubject::Memory(Seq(c.int()?)), c.count()?);
    let (always, archived, turn) = (c.flag()?, c.flag()?, c.flag()?);
    let words = u32::try_from(c.count()?).unwrap_or(u32::MAX);
    let worth = Worth { always, archived, turn, words, score: c.real()? };
    Ok(EligibleSubject { subject, revision, worth })
}

/// Reads a goal from its id and revision.
pub(crate) fn goal_subject<'r>(c: &mut impl ReadRow<'r>) -> Result<EligibleSubject> {
    let (subject, revision) = (VectorSubject::Goal(GoalId(c.uuid()?)), c.count()?);
    Ok(EligibleSubject { subject, revision, worth: Worth::default() })
}
