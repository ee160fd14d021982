//! Makes one of the drafts of a batch that are one statement.

use std::collections::HashMap;

use super::identity::Identity;
use super::known::joined;
use crate::ids::ConsentId;
use crate::memory::MemoryDraft;

/// A draft, with what else was sent as the same statement.
pub(super) struct Single {
    pub(super) draft: MemoryDraft,
    /// Whether secrets were masked in any of them.
    pub(super) masked: bool,
    /// Position of the first of them in the request.
    pub(super) index: usize,
    /// Its identity; `None` if it always becomes a record.
    pub(super) identity: Option<Identity>,
}

/// The drafts of a batch, each statement once, and for each draft as sent its position among them.
pub(super) struct Singles {
    pub(super) singles: Vec<Single>,
    pub(super) places: Vec<usize>,
}

impl Singles {
    /// Takes the drafts as sent, each with whether secrets were masked in it. Joins equal ones only `once`.
    pub(super) fn of(drafts: impl Iterator<Item = (MemoryDraft, bool)>, once: bool) -> Self {
        let mut by_identity: HashMap<(Identity, Option<ConsentId>), usize> = HashMap::new();
        let (mut singles, mut places) = (Vec::<Single>::new(), Vec::new());
        for (index, (draft, masked)) in drafts.enumerate() {
            let identity = Identity::of(&draft);
            let key = identity.clone().filter(|_| once).map(|identity| (identity, draft.consent_id));
            let place = *key.map_or(&mut singles.len(), |key| by_identity.entry(key).or_insert(singles.len()));
            places.push(place);
            if let Some(first) = singles.get_mut(place) {
                first.draft = joined(&first.draft, &draft);
                first.masked |= masked;
            } else {
                singles.push(Single { draft, masked, index, identity });
            }
        }
        Self { singles, places }
    }
}
