//! The memories that a review looks at, within bounds.

use crate::bounds::{MAX_DUPLICATE_WINDOW, MAX_PAGE_BYTES, MAX_PAGE_SIZE};
use crate::error::Result;
use crate::memory::{ListOrder, Memory, MemoryFilter};
use crate::ports::{ListKey, VaultReader};

/// Most bytes of the memories among which duplicates are looked for.
const WINDOW_BYTES: usize = 4 * MAX_PAGE_BYTES;
/// Items per query of decisions.
pub(super) const AT_ONCE: usize = 512;

/// Returns the newest memories that pass the filter, within bounds, the oldest of them first.
pub(super) async fn window(reader: &mut dyn VaultReader, filter: &MemoryFilter) -> Result<Vec<Memory>> {
    let (mut all, mut bytes, mut after) = (Vec::new(), 0, None);
    while all.len() < MAX_DUPLICATE_WINDOW && bytes < WINDOW_BYTES {
        let most = MAX_PAGE_SIZE.min(MAX_DUPLICATE_WINDOW - all.len());
        let page = reader.list(filter, ListOrder::NewestFirst, after, most, MAX_PAGE_BYTES).await?;
        let Some(oldest) = page.last() else { break };
        after = Some(key(oldest));
        bytes += page.iter().map(|memory| usize::try_from(memory.size_bytes).unwrap_or(usize::MAX)).sum::<usize>();
        all.extend(page);
    }
    all.reverse();
    Ok(all)
}

/// Returns the position of a memory in a list.
pub(super) fn key(memory: &Memory) -> ListKey {
    ListKey { created_at: memory.created_at, seq: memory.seq }
}
