//! The steps' view of a vault: one consistent picture, without content.

use std::collections::{HashMap, HashSet};

use super::kinds::Effect;
use super::{Change, Fingerprint, RetentionItem, Scored, Trigger};
use crate::ids::{MemoryId, Seq};
use crate::memory::{MemoryState, Tier};
use crate::retention::permits;
use crate::settings::EffectiveSettings;
use crate::time::Timestamp;

/// The data that steps decide from.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The trigger of the run.
    pub trigger: Trigger,
    /// The time that ages are counted from.
    pub as_of: Timestamp,
    /// The user's effective settings.
    pub settings: EffectiveSettings,
    /// The names of the steps that take part.
    pub steps: Vec<String>,
    /// The only memories that may be changed; empty for all.
    pub only: Vec<MemoryId>,
    /// Every memory, in order of number.
    pub items: Vec<RetentionItem>,
    /// Bytes of the versions of memories.
    pub version_bytes: u64,
    /// The session that ended, for [`Trigger::SessionEnd`].
    pub session: Option<i64>,
    /// Bytes that the system has erased today, for the daily cap.
    pub erased_today: u64,
    /// Memories that this run archived. It never erases them, however short their grace.
    pub archived_here: HashSet<Seq>,
    /// Number of records that each step changed in this run, not counting spares.
    pub done_here: HashMap<&'static str, u64>,
    /// The fingerprints of steps at their last run that left no work over.
    pub fingerprints: Vec<Fingerprint>,
    /// When people decided about names and merges, if a step that takes part has a fingerprint.
    pub decided: Vec<Timestamp>,
}

impl Snapshot {
    /// Returns the active memories that the run may change.
    pub(super) fn reached(&self) -> impl Iterator<Item = &RetentionItem> {
        let asked = |item: &&RetentionItem| self.only.is_empty() || self.only.binary_search(&item.id).is_ok();
        self.items.iter().filter(|item| item.state == MemoryState::Active).filter(asked)
    }

    /// Replaces stored scores by new ones. Memories that are not in the snapshot are skipped.
    pub fn rescore(&mut self, scored: impl IntoIterator<Item = (Seq, f64)>) {
        for (seq, score) in scored {
            if let Ok(index) = self.items.binary_search_by_key(&seq, |item| item.seq)
                && let Some(item) = self.items.get_mut(index)
            {
                item.score = score;
            }
        }
    }

    /// Drops changes that would archive or erase records that last.
    pub(super) fn drop_forbidden(&self, proposed: &mut Vec<Change>) {
        let item =
            |seq: Seq| self.items.binary_search_by_key(&seq, |item| item.seq).ok().and_then(|at| self.items.get(at));
        proposed.retain(|change| {
            let mut subjects = change.subjects.iter().filter_map(|subject| item(subject.seq));
            subjects.all(|item| permits(change.kind, item.protected, item.state))
        });
    }

    /// Applies these changes to the snapshot.
    pub fn apply(&mut self, changes: &[Change]) {
        let mut erased = HashSet::new();
        for change in changes {
            match change.kind.rules().effect() {
                Effect::None => {}
                Effect::Erases => {
                    erased.insert(change.seq());
                }
                Effect::Archives => {
                    self.archived_here.insert(change.seq());
                    if let Ok(index) = self.items.binary_search_by_key(&change.seq(), |item| item.seq)
                        && let Some(item) = self.items.get_mut(index)
                    {
                        item.state = MemoryState::Archived;
                        item.delete_after = Some(self.as_of.plus(self.settings.grace.value));
                    }
                }
            }
        }
        if !erased.is_empty() {
            self.items.retain(|item| !erased.contains(&item.seq));
        }
    }

    /// Returns the bytes of a tier that count against its quota.
    pub fn active_bytes(&self, tier: Tier) -> u64 {
        let active = self.items.iter().filter(|item| item.tier == tier && item.state == MemoryState::Active);
        active.map(|item| item.size_bytes).sum()
    }

    /// Returns the bytes that count against the archive's allowance: archived and deleted memories of all tiers, and
    /// versions.
    pub fn archive_bytes(&self) -> u64 {
        let away = self.items.iter().filter(|item| item.state != MemoryState::Active);
        away.map(|item| item.size_bytes).sum::<u64>().saturating_add(self.version_bytes)
    }
}

/// A new score by sequence number, for [`Snapshot::rescore`].
impl From<&Scored> for (Seq, f64) {
    fn from(scored: &Scored) -> Self {
        (scored.seq, scored.record.score)
    }
}
