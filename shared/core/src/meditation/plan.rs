//! The full plan of a run: what every step decides, in order.

use std::collections::HashSet;

use super::steps::pipeline;
use super::{Action, Decision, PlanToken, Snapshot, TierSummary};
use crate::ids::Seq;
use crate::memory::Tier;
use crate::time::Timestamp;

/// What a run would do, or what is left of it to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The time that ages are counted from.
    pub as_of: Timestamp,
    /// Memories that were scored for it.
    pub scored: u64,
    /// What was decided, in the order to carry it out.
    pub decisions: Vec<Decision>,
    /// What it finds and leaves in each tier.
    pub tiers: Vec<TierSummary>,
}

impl Plan {
    /// Plans from a picture of the vault: each step of the run's trigger in turn sees what the steps before it decided.
    pub fn make(mut snapshot: Snapshot, scored: u64) -> Self {
        let before = Tier::ALL.iter().map(|&tier| (tier, snapshot.active_bytes(tier))).collect::<Vec<_>>();
        let (mut decisions, mut decided_about) = (Vec::new(), HashSet::new());
        let trigger = snapshot.trigger;
        for step in pipeline().into_iter().filter(|step| step.runs_on(trigger)) {
            let mut decided = step.decide(&snapshot);
            // A memory is spared once, however many steps would have taken it.
            decided.retain(|decision| decided_about.insert(decision.seq));
            snapshot.apply(&decided);
            decisions.extend(decided);
        }
        let tiers = before.into_iter().map(|(tier, before)| summary(tier, before, &snapshot, &decisions)).collect();
        Self { as_of: snapshot.as_of, scored, decisions, tiers }
    }

    /// The plan's name.
    pub fn token(&self) -> PlanToken {
        PlanToken::of(self.as_of, &self.decisions)
    }

    /// The decisions that are left when `recorded` were recorded before. Only spares can come up twice: what was
    /// archived or erased is not planned again.
    #[must_use]
    pub fn without(mut self, recorded: &HashSet<Seq>) -> Self {
        self.decisions.retain(|decision| decision.action != Action::Spare || !recorded.contains(&decision.seq));
        self
    }

    /// How many memories, and how many bytes, an action concerns.
    pub fn total(&self, action: Action) -> (u64, u64) {
        let concerned = self.decisions.iter().filter(|decision| decision.action == action);
        concerned.fold((0, 0), |(items, bytes), decision| (items + 1, bytes + decision.size_bytes))
    }
}

fn summary(tier: Tier, bytes_before: u64, after: &Snapshot, decisions: &[Decision]) -> TierSummary {
    let count = |action| decisions.iter().filter(|d| d.tier == tier && d.action == action).count() as u64;
    TierSummary {
        tier,
        bytes_before,
        bytes_after: after.active_bytes(tier),
        quota_bytes: after.settings.quota(tier),
        archived: count(Action::Archive),
        deleted: count(Action::Delete),
    }
}
