//! A filter over entries.

use kimberly_core::memory::{MemoryFilter, SensitivityFilter};
use kimberly_core::time::Timestamp;

use super::{Columns, Entry};
use crate::codes::code;

/// Whether entries hold all that a filter asks about.
pub(crate) fn covers(filter: &MemoryFilter) -> bool {
    filter.tags_any.is_empty()
        && filter.tags_all.is_empty()
        && filter.session_id.is_none()
        && filter.speakers.is_empty()
}

/// A filter that [`covers`] allows, ready to be asked often.
pub(crate) struct Pass {
    tiers: u8,
    states: u8,
    sources: u8,
    scopes: u8,
    sensitivity: SensitivityFilter,
    /// Numbers; `None` for all.
    namespaces: Option<Vec<u32>>,
    withheld: bool,
    created: (i64, i64),
    occurred: (i64, i64),
}

impl Pass {
    /// A filter for entries of these columns.
    pub(crate) fn new(filter: &MemoryFilter, columns: &Columns) -> Self {
        let window = |after: Option<Timestamp>, before: Option<Timestamp>| {
            (after.map_or(i64::MIN, |at| at.0), before.map_or(i64::MAX, |at| at.0))
        };
        Self {
            tiers: bits(filter.tiers.iter().map(|tier| code(*tier))),
            states: bits(filter.effective_states().iter().map(|state| code(*state))),
            sources: bits(filter.sources.iter().map(|source| code(*source))),
            scopes: bits(filter.scopes.iter().map(|scope| code(*scope))),
            sensitivity: filter.sensitivity,
            namespaces: (!filter.namespaces.is_empty())
                .then(|| filter.namespaces.iter().filter_map(|name| columns.namespace(name)).collect()),
            withheld: filter.withheld,
            created: window(filter.created_after, filter.created_before),
            occurred: window(filter.occurred_after, filter.occurred_before),
        }
    }

    /// Whether an entry passes.
    pub(super) fn lets(&self, entry: &Entry) -> bool {
        let has = |set: u8, value: u8| set >> value & 1 == 1;
        let sensitive = entry.more >> 2 & 1 == 1;
        has(self.states, entry.more & 3)
            && has(self.tiers, entry.tier)
            && has(self.sources, entry.more >> 3 & 3)
            && has(self.scopes, entry.more >> 5 & 3)
            && match self.sensitivity {
                SensitivityFilter::Any => true,
                SensitivityFilter::Exclude => !sensitive,
                SensitivityFilter::Only => sensitive,
            }
            && (self.withheld || entry.more >> 7 == 0)
            && self.namespaces.as_ref().is_none_or(|numbers| numbers.contains(&entry.namespace))
            && within(self.created, entry.created_at)
            && within(self.occurred, entry.occurred_at)
    }
}

/// A set of numbers; none means all.
fn bits(codes: impl Iterator<Item = i64>) -> u8 {
    let set = codes.fold(0, |set, code| set | 1 << code);
    if set == 0 { u8::MAX } else { set }
}

/// From the first, before the second; no bound is later than every time.
fn within((after, before): (i64, i64), at: i64) -> bool {
    at >= after && (at < before || before == i64::MAX)
}
