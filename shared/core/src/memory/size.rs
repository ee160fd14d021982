//! The size of a memory for quotas.

use super::MemoryDraft;

/// `size_bytes` (K-1.5): bytes of the UTF-8 content, of metadata and attributes as JSON, and, if present, of the
/// detail as JSON, the subject, the source reference and the name.
pub fn size_bytes(draft: &MemoryDraft) -> u64 {
    let metadata = serde_json::to_vec(&draft.metadata).map_or(0, |json| json.len());
    let attributes = draft.attributes.as_ref().map_or(0, String::len);
    let detail = draft.detail.as_ref().map_or(0, |detail| detail.to_json().len());
    let names: usize = [&draft.subject, &draft.source_ref, &draft.name].into_iter().flatten().map(String::len).sum();
    (draft.content.len() + metadata + attributes + detail + names) as u64
}
