//! What a memory counts for in quotas.

use super::MemoryDraft;

/// `size_bytes` (K-1.5): bytes of the UTF-8 content plus bytes of the metadata and attributes as JSON, and where there is one,
/// of the detail as JSON, of the subject, of the source that it names and of its name.
pub fn size_bytes(draft: &MemoryDraft) -> u64 {
    let metadata = serde_json::to_vec(&draft.metadata).map_or(0, |json| json.len());
    let attributes = draft.attributes.as_ref().map_or(0, String::len);
    let detail = draft.detail.as_ref().map_or(0, |detail| detail.to_json().len());
    let names: usize = [&draft.subject, &draft.source_ref, &draft.name].into_iter().flatten().map(String::len).sum();
    (draft.content.len() + metadata + attributes + detail + names) as u64
}
