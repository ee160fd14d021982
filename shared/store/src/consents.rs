//! The memories that a consent is about.

use kimberly_core::consent::ConsentScope;
use kimberly_core::memory::{MemoryFilter, MemoryState};

/// A scope as a filter; it says nothing of sessions, of which a filter knows one only.
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
