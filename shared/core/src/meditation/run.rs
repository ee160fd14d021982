//! The life cycle of a run's record.

use super::kinds::Effect;
use super::{Asked, Change, Meditation, MeditationStatus, TierSummary, Trigger};
use crate::ids::MeditationId;
use crate::memory::Tier;
use crate::scoring::SCORING_VERSION;
use crate::settings::EffectiveSettings;
use crate::time::Timestamp;
use crate::usage::Usage;

impl Meditation {
    /// Creates a run that waits for a worker.
    pub fn scheduled(id: MeditationId, trigger: Trigger, full: bool, now: Timestamp) -> Self {
        Self {
            id,
            status: MeditationStatus::Scheduled,
            trigger,
            full,
            asked: Asked::default(),
            steps: Vec::new(),
            processed: 0,
            archived: 0,
            pruned: 0,
            archived_bytes: 0,
            pruned_bytes: 0,
            created_at: now,
            started_at: None,
            finished_at: None,
            as_of: now.start_of_hour(),
            generation: 0,
            expected_plan: None,
            error: None,
            tiers: Vec::new(),
            scoring_version: SCORING_VERSION.to_owned(),
        }
    }

    /// Reports whether it ended, successfully or not.
    pub const fn is_over(&self) -> bool {
        matches!(self.status, MeditationStatus::Complete | MeditationStatus::Failed)
    }

    /// Notes that a worker takes the run. The first worker fixes the steps, the time that ages count from (unless a
    /// plan names it) and the sizes of the tiers. Later workers keep all three, so that the run ends as if it had never
    /// been interrupted.
    pub(crate) fn take(&mut self, now: Timestamp, usage: &Usage, settings: &EffectiveSettings, steps: &[&str]) {
        self.generation += 1;
        self.status = MeditationStatus::Running;
        SCORING_VERSION.clone_into(&mut self.scoring_version);
        if self.started_at.is_some() {
            return;
        }
        self.started_at = Some(now);
        self.steps = steps.iter().map(|step| (*step).to_owned()).collect();
        if self.expected_plan.is_none() {
            self.as_of = now.start_of_hour();
        }
        self.tiers = Tier::ALL
            .iter()
            .map(|&tier| TierSummary {
                tier,
                bytes_before: usage.active_bytes(tier),
                bytes_after: usage.active_bytes(tier),
                quota_bytes: settings.quota(tier),
                archived: 0,
                deleted: 0,
            })
            .collect();
    }

    /// Counts changes that were carried out, and notes the sizes of the tiers after them.
    pub(crate) fn account(&mut self, carried_out: &[Change], after: &Usage) {
        for change in carried_out {
            let mut nowhere = 0;
            let in_tier = self.tiers.iter_mut().find(|summary| Some(summary.tier) == change.tier());
            match change.kind.rules().effect() {
                Effect::None => {}
                Effect::Archives => {
                    self.archived += 1;
                    self.archived_bytes += change.size_bytes();
                    *in_tier.map_or(&mut nowhere, |summary| &mut summary.archived) += 1;
                }
                Effect::Erases => {
                    self.pruned += 1;
                    self.pruned_bytes += change.size_bytes();
                    *in_tier.map_or(&mut nowhere, |summary| &mut summary.deleted) += 1;
                }
            }
        }
        for summary in &mut self.tiers {
            summary.bytes_after = after.active_bytes(summary.tier);
        }
    }

    /// Marks the run complete.
    pub(crate) fn complete(&mut self, now: Timestamp) {
        self.status = MeditationStatus::Complete;
        self.finished_at = Some(now);
    }

    /// Marks the run failed. Applied changes stay applied.
    pub(crate) fn fail(&mut self, now: Timestamp, why: &str) {
        self.status = MeditationStatus::Failed;
        self.finished_at = Some(now);
        self.error = Some(why.to_owned());
    }
}
