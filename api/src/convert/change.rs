//! Converts changes of memories to the contract.

use kimberly_core::ports::SeenChange;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use super::enums::WireEnum;
use super::{memory, time};

/// Converts a change, with its memory if that was read. Fails only if stored data is damaged.
pub fn change(user: &UserId, seen: SeenChange) -> Result<v1::MemoryChange> {
    let SeenChange { change, memory, .. } = seen;
    Ok(v1::MemoryChange {
        kind: change.kind.number(),
        memory_id: change.memory_id.to_string(),
        changed_at: Some(time::wire_timestamp(change.at)),
        reason: change.reason.map_or(0, WireEnum::number),
        etag: if change.revision == 0 { String::new() } else { change.revision.to_string() },
        memory: memory.map(|memory| memory::memory(user, memory)).transpose()?,
    })
}
