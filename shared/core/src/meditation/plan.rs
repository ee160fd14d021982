//! The full plan of a run: the decisions of every step, in order.

use std::collections::HashSet;
use std::sync::Arc;

use super::kinds::Effect;
use super::steps::{Context, Shared, Source, steps_of};
use super::{Change, Fingerprint, Kind, PlanToken, Snapshot, Subject, TierSummary};
use crate::entities::Graph;
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::memory::Tier;
use crate::time::Timestamp;

/// The planned changes of a run, or the remaining ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The time that ages are counted from.
    pub as_of: Timestamp,
    /// The names of the steps that took part.
    pub steps: Vec<String>,
    /// Memories scored for it.
    pub scored: u64,
    /// The decisions, in the order to carry them out.
    pub decisions: Vec<Change>,
    /// Sizes and counts by tier, before and after.
    pub tiers: Vec<TierSummary>,
    /// The fingerprints of steps that leave no work over.
    pub read: Vec<Fingerprint>,
    /// The entities that the concluding steps read, so that the graph is built only once.
    pub graph: Option<Arc<Graph>>,
}

impl Plan {
    /// Plans from a snapshot of the vault. Each step sees the snapshot as changed by the decisions of earlier steps.
    pub async fn make(source: Source<'_>, mut snapshot: Snapshot, scored: u64) -> Result<Self> {
        let before = Tier::ALL.iter().map(|&tier| (tier, snapshot.active_bytes(tier))).collect::<Vec<_>>();
        let (mut decisions, mut settled, mut read) = (Vec::new(), HashSet::new(), Vec::new());
        let shared = Shared::default();
        for step in steps_of(&snapshot.steps.clone()) {
            let context = Context::new(&snapshot, source, &shared);
            let fingerprint = context.fingerprint(step);
            if fingerprint.as_ref().is_some_and(|one| snapshot.fingerprints.contains(one)) {
                continue;
            }
            let mut proposed = step.propose(&context).await?;
            let (leaves_over, all) = (context.leaves_over(), proposed.len());
            snapshot.drop_forbidden(&mut proposed);
            // A memory is spared only once, even if several steps would have taken it.
            proposed.retain(|change| !change.kind.rules().settles() || settled.insert(change.seq()));
            restrict(&snapshot, step.name(), &mut proposed);
            read.extend(fingerprint.filter(|_| !leaves_over && proposed.len() == all));
            for change in &mut proposed {
                change.step = step.name();
            }
            snapshot.apply(&proposed);
            decisions.extend(proposed);
        }
        let tiers = before.into_iter().map(|(tier, before)| summary(tier, before, &snapshot, &decisions)).collect();
        Ok(Self { as_of: snapshot.as_of, steps: snapshot.steps, scored, decisions, tiers, read, graph: shared.graph() })
    }

    /// Returns the plan's token.
    pub fn token(&self) -> PlanToken {
        PlanToken::of(self.as_of, &self.decisions)
    }

    /// Returns the plan without the decisions already in `recorded`. Only spares can repeat: memories that were
    /// archived or erased are not planned again.
    #[must_use]
    pub fn without(mut self, recorded: &HashSet<Seq>) -> Self {
        self.decisions.retain(|decision| decision.kind != Kind::Spare || !recorded.contains(&decision.seq()));
        self
    }

    /// Returns the number of memories, and of bytes, that an effect concerns.
    pub fn total(&self, effect: Effect) -> (u64, u64) {
        let concerned = self.decisions.iter().filter(|change| change.kind.rules().effect() == effect);
        concerned.fold((0, 0), |(items, bytes), change| (items + 1, bytes + change.size_bytes()))
    }
}

/// Keeps only proposals within the caller's restrictions and within the step's cap, the first ones first.
fn restrict(snapshot: &Snapshot, step: &str, proposed: &mut Vec<Change>) {
    if !snapshot.only.is_empty() {
        let asked = |subject: &Subject| snapshot.only.binary_search(&MemoryId(subject.id)).is_ok();
        proposed.retain(|change| change.subjects.iter().all(asked));
    }
    if let Some(cap) = snapshot.settings.steps.of(step).cap {
        let mut left = cap.saturating_sub(snapshot.done_here.get(step).copied().unwrap_or_default());
        proposed.retain(|change| {
            let records = if change.kind == Kind::Spare { 0 } else { change.subjects.len() as u64 };
            let fits = records <= left;
            left = left.saturating_sub(records);
            fits
        });
    }
}

fn summary(tier: Tier, bytes_before: u64, after: &Snapshot, decisions: &[Change]) -> TierSummary {
    let of_tier = |change: &&Change| change.tier() == Some(tier);
    let count = |effect| decisions.iter().filter(|c| c.kind.rules().effect() == effect).filter(of_tier).count() as u64;
    TierSummary {
        tier,
        bytes_before,
        bytes_after: after.active_bytes(tier),
        quota_bytes: after.settings.quota(tier),
        archived: count(Effect::Archives),
        deleted: count(Effect::Erases),
    }
}
