//! The columns of memories that retention reads.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::meditation::RetentionItem;
use kimberly_core::memory::{Creator, RecordKind, SourceType, Tier};
use kimberly_core::retention::{LASTING_KINDS, LASTING_SOURCES, lasts};

use super::ReadRow;
use crate::codes::{code, from_code};
use crate::filter::list;

/// The columns that [`retention_item`] reads.
pub(crate) const RETENTION_COLUMNS: &str = "seq, id, tier, state, protected, kind, \
     source_type, size_bytes, score, created_at, delete_after, session, importance, created_by, access_count, updated_at, \
     last_seen_at, coalesce(CAST(tags AS text), '{}') <> '{}', valid_from, valid_to";

const BY_TIER: &str = "SELECT tier, CAST(sum(size_bytes) AS bigint) FROM memories WHERE state = 0";

/// SQL for [`tier_bytes`] over the memories that meditation may archive; the caller adds GROUP BY tier.
pub(crate) fn movable() -> String {
    format!("{BY_TIER} AND withheld = 0 AND NOT {}", lasting_condition())
}

/// SQL for [`tier_bytes`] over the memories that last.
pub(crate) fn lasting() -> String {
    format!("{BY_TIER} AND {}", lasting_condition())
}

/// An index for a file that answers [`lasting`] by itself: without it, every write of a lasting memory, such as each
/// piece of an import, would read all memories. A build with other rules must give it another name.
pub(crate) fn lasting_index() -> String {
    format!(
        "CREATE INDEX IF NOT EXISTS memories_lasting ON memories \
         (tier, size_bytes, state, protected, kind, source_type) WHERE state = 0 AND {}",
        lasting_condition()
    )
}

/// `kimberly_core::retention::lasts` in SQL of both backends.
fn lasting_condition() -> String {
    let codes = |codes: Vec<i64>| list(&codes);
    let kinds = codes(LASTING_KINDS.iter().map(|kind| code(*kind)).collect());
    let sources = codes(LASTING_SOURCES.iter().map(|source| code(*source)).collect());
    format!("(protected OR coalesce(kind, 0) IN ({kinds}) OR coalesce(source_type, -1) IN ({sources}))")
}

/// Reads an item from [`RETENTION_COLUMNS`].
pub(crate) fn retention_item<'r>(c: &mut impl ReadRow<'r>) -> Result<RetentionItem> {
    let (seq, id) = (Seq(c.int()?), MemoryId(c.uuid()?));
    let (tier, state) = (from_code(c.int()?)?, from_code(c.int()?)?);
    let (protected, kind, source) = (c.flag()?, c.opt_int()?, c.opt_int()?);
    let kind = kind.map_or(Ok(RecordKind::Unset), from_code)?;
    let said = source.map(from_code::<SourceType>).transpose()?;
    let (size_bytes, score, created_at, delete_after) = (c.count()?, c.real()?, c.time()?, c.opt_time()?);
    let (session, importance, creator) = (c.opt_int()?, c.int()?, from_code::<Creator>(c.int()?)?);
    Ok(RetentionItem {
        seq,
        id,
        tier,
        state,
        protected: lasts(protected, kind, said),
        size_bytes,
        score,
        created_at,
        delete_after,
        session,
        importance: i32::try_from(importance).unwrap_or_default(),
        by_hand: creator == Creator::User,
        access_count: c.count()?,
        updated_at: c.time()?,
        last_seen_at: c.time()?,
        source_type: said.unwrap_or(SourceType::of(creator)),
        tagged: c.flag()?,
        kind,
        valid_from: c.opt_time()?,
        valid_to: c.opt_time()?,
    })
}

/// Reads a tier and its bytes.
pub(crate) fn tier_bytes<'r>(c: &mut impl ReadRow<'r>) -> Result<(Tier, u64)> {
    Ok((from_code(c.int()?)?, c.count()?))
}

/// Returns bytes in the order of `Tier::ALL`; 0 for a tier without memories.
pub(crate) fn by_tier(sums: Vec<(Tier, u64)>) -> [u64; 3] {
    let mut bytes = [0; 3];
    for (tier, sum) in sums {
        bytes[tier as usize] = sum;
    }
    bytes
}
