//! The filter, for memories that were not read through it.

use crate::memory::{Memory, MemoryFilter, SensitivityFilter};

/// Whether a memory passes a filter, as the vault itself decides.
pub fn passes(filter: &MemoryFilter, memory: &Memory) -> bool {
    let MemoryFilter {
        tiers,
        tags_any,
        tags_all,
        created_after,
        created_before,
        occurred_after,
        occurred_before,
        sensitivity,
        sources,
        scopes,
        session_id,
        states: _,
        speakers,
        namespaces,
        withheld,
    } = filter;
    let (draft, tags) = (&memory.draft, &memory.draft.metadata.tags);
    let occurred_at = memory.occurred_at();
    let speaker = draft.speaker.as_deref().unwrap_or("").to_lowercase();
    any_or_empty(tiers, |tier| *tier == draft.tier)
        && any_or_empty(tags_any, |tag| tags.contains(tag))
        && tags_all.iter().all(|tag| tags.contains(tag))
        && created_after.is_none_or(|time| memory.created_at >= time)
        && created_before.is_none_or(|time| memory.created_at < time)
        && occurred_after.is_none_or(|time| occurred_at >= time)
        && occurred_before.is_none_or(|time| occurred_at < time)
        && match sensitivity {
            SensitivityFilter::Any => true,
            SensitivityFilter::Exclude => !draft.metadata.sensitive,
            SensitivityFilter::Only => draft.metadata.sensitive,
        }
        && any_or_empty(sources, |source| *source == draft.metadata.source)
        && any_or_empty(scopes, |scope| *scope == draft.metadata.scope)
        && session_id.as_ref().is_none_or(|id| draft.session_id.as_ref() == Some(id))
        && filter.effective_states().contains(&memory.state)
        && any_or_empty(namespaces, |name| *name == draft.namespace)
        && (*withheld || !memory.withheld)
        && any_or_empty(speakers, |name| name.to_lowercase() == speaker)
}

fn any_or_empty<T>(allowed: &[T], matches: impl Fn(&T) -> bool) -> bool {
    allowed.is_empty() || allowed.iter().any(matches)
}
