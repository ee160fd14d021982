//! Selects the memories that a consent covers.

use kimberly_core::consent::ConsentScope;
use kimberly_core::memory::{MemoryFilter, MemoryState};

/// Converts a scope to a filter, except for its sessions: a filter holds only one session.
pub(crate) fn filter(scope: &ConsentScope) -> MemoryFilter {
    MemoryFilter {
        tiers: scope.tiers.clone(),
        namespaces: scope.namespaces.clone(),
        tags_any: scope.tags.clone(),
        own_tags: true,
        states: MemoryState::ALL.to_vec(),
        withheld: true,
        ..MemoryFilter::default()
    }
}
