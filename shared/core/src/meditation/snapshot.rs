//! What the steps see of a vault: one consistent picture, without content.

use std::collections::HashSet;

use super::{Action, Decision, RetentionItem, Scored, Trigger};
use crate::error::Result;
use crate::ids::Seq;
use crate::memory::{MemoryState, Tier};
use crate::ports::VaultReader;
use crate::settings::EffectiveSettings;
use crate::time::Timestamp;

/// What the steps decide from.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// What started the run.
    pub trigger: Trigger,
    /// The time that ages are counted from.
    pub as_of: Timestamp,
    /// What holds for the user.
    pub settings: EffectiveSettings,
    /// Every memory, in order of number.
    pub items: Vec<RetentionItem>,
    /// The session that ended, for [`Trigger::SessionEnd`].
    pub session: Option<i64>,
    /// Bytes that the system has erased today, for the daily cap.
    pub erased_today: u64,
    /// Memories that this very run archived: it never erases them, however short their grace.
    pub archived_here: HashSet<Seq>,
}

impl Snapshot {
    /// Reads the picture; `now` decides which day's cap counts.
    pub async fn load(
        reader: &mut dyn VaultReader,
        settings: EffectiveSettings,
        trigger: Trigger,
        (as_of, now): (Timestamp, Timestamp),
    ) -> Result<Self> {
        Ok(Self {
            trigger,
            as_of,
            settings,
            items: reader.retention_items().await?,
            session: None,
            erased_today: reader.pruned_on(now.day()).await?,
            archived_here: HashSet::new(),
        })
    }

    /// Puts new scores in place of the stored ones. Memories that are not in the picture are passed over.
    pub fn rescore(&mut self, scored: impl IntoIterator<Item = (Seq, f64)>) {
        for (seq, score) in scored {
            if let Ok(index) = self.items.binary_search_by_key(&seq, |item| item.seq)
                && let Some(item) = self.items.get_mut(index)
            {
                item.score = score;
            }
        }
    }

    /// The picture after these decisions.
    pub fn apply(&mut self, decisions: &[Decision]) {
        let mut erased = HashSet::new();
        for decision in decisions {
            match decision.action {
                Action::Spare => {}
                Action::Delete => {
                    erased.insert(decision.seq);
                }
                Action::Archive => {
                    self.archived_here.insert(decision.seq);
                    if let Ok(index) = self.items.binary_search_by_key(&decision.seq, |item| item.seq)
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

    /// Bytes a tier holds against its quota.
    pub fn active_bytes(&self, tier: Tier) -> u64 {
        let active = self.items.iter().filter(|item| item.tier == tier && item.state == MemoryState::Active);
        active.map(|item| item.size_bytes).sum()
    }

    /// Bytes the archive holds against its allowance: archived and deleted memories of all tiers.
    pub fn archive_bytes(&self) -> u64 {
        self.items.iter().filter(|item| item.state != MemoryState::Active).map(|item| item.size_bytes).sum()
    }
}

/// A new score by number, for [`Snapshot::rescore`].
impl From<&Scored> for (Seq, f64) {
    fn from(scored: &Scored) -> Self {
        (scored.seq, scored.record.score)
    }
}
