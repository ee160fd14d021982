//! What retention reads of memories.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::meditation::RetentionItem;
use kimberly_core::memory::Tier;

use super::ReadRow;
use crate::codes::from_code;

/// What [`retention_item`] reads.
pub(crate) const RETENTION_COLUMNS: &str =
    "seq, id, tier, state, protected, size_bytes, score, created_at, delete_after, session";
/// What [`tier_bytes`] reads of what a meditation may archive, to be grouped by tier.
pub(crate) const MOVABLE: &str = "SELECT tier, CAST(sum(size_bytes) AS bigint) FROM memories \
     WHERE state = 0 AND NOT protected AND withheld = 0";

/// An item from [`RETENTION_COLUMNS`].
pub(crate) fn retention_item<'r>(c: &mut impl ReadRow<'r>) -> Result<RetentionItem> {
    Ok(RetentionItem {
        seq: Seq(c.int()?),
        id: MemoryId(c.uuid()?),
        tier: from_code(c.int()?)?,
        state: from_code(c.int()?)?,
        protected: c.flag()?,
        size_bytes: c.count()?,
        score: c.real()?,
        created_at: c.time()?,
        delete_after: c.opt_time()?,
        session: c.opt_int()?,
    })
}

/// A tier and its bytes.
pub(crate) fn tier_bytes<'r>(c: &mut impl ReadRow<'r>) -> Result<(Tier, u64)> {
    Ok((from_code(c.int()?)?, c.count()?))
}

/// Bytes in the order of `Tier::ALL`; 0 for a tier that has none.
pub(crate) fn by_tier(sums: Vec<(Tier, u64)>) -> [u64; 3] {
    let mut bytes = [0; 3];
    for (tier, sum) in sums {
        bytes[tier as usize] = sum;
    }
    bytes
}
