//! What a memory counts for in quotas.

use super::MemoryDraft;

/// `size_bytes` (K-1.5): bytes of the UTF-8 content plus bytes of the metadata and attributes as JSON.
pub fn size_bytes(draft: &MemoryDraft) -> u64 {
    let metadata = serde_json::to_vec(&draft.metadata).map_or(0, |json| json.len());
    let attributes = draft.attributes.as_ref().map_or(0, String::len);
    (draft.content.len() + metadata + attributes) as u64
}
