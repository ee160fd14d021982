//! The row of a memory to score.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::meditation::ScoringItem;
use kimberly_core::memory::Feedback;

use super::{ReadRow, feedback_from_code, opened};
use crate::sealed::Seals;
use crate::tables::memories::CONTENT;

/// Reads a memory from the columns of the item in order, its id, and its sealed content.
pub(crate) fn scoring_item<'r>(c: &mut impl ReadRow<'r>, seals: Option<&Seals>) -> Result<ScoringItem> {
    let mut item = ScoringItem {
        seq: Seq(c.int()?),
        content: c.text()?,
        tags: c.tags()?,
        sentiment: c.real()?,
        feedback: c.opt_int()?.map(feedback_from_code).transpose()?.map(Feedback::valence),
        helpful: c.count()?,
        unhelpful: c.count()?,
        created_at: c.time()?,
        last_seen_at: c.time()?,
        access_count: c.count()?,
    };
    let id = MemoryId(c.uuid()?);
    if let Some(sealed) = c.opt_bytes()? {
        item.content = opened(seals, id, CONTENT, sealed)?;
    }
    Ok(item)
}
