//! Drafts as callers write them.

use kimberly_proto::v1::{MemoryDraft, Metadata, Tier};
use prost_types::FieldMask;

/// A long-term memory with content only.
pub fn draft(content: &str) -> MemoryDraft {
    MemoryDraft { content: content.to_owned(), ..MemoryDraft::default() }
}

/// The fields that an update changes.
pub fn mask(paths: &[&str]) -> FieldMask {
    FieldMask { paths: paths.iter().map(|path| (*path).to_owned()).collect() }
}

/// A draft with a tier.
pub fn in_tier(tier: Tier, content: &str) -> MemoryDraft {
    MemoryDraft { tier: tier.into(), ..draft(content) }
}

/// A draft with tags.
pub fn tagged(content: &str, tags: &[&str]) -> MemoryDraft {
    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    MemoryDraft { metadata: Some(Metadata { tags, ..Metadata::default() }), ..draft(content) }
}
