//! Admits what a write adds to tiers, and schedules a meditation when a tier crosses its quota (K-1.4).

use std::sync::Arc;

use super::App;
use crate::error::{Error, Relief, Result};
use crate::ids::{MeditationId, UserId};
use crate::meditation::schedule::schedule_run;
use crate::meditation::{Asked, Trigger};
use crate::memory::Tier;
use crate::ports::{Ids, VaultTransaction, WriteContext};
use crate::retention::{Full, admit};
use crate::settings::EffectiveSettings;
use crate::time::Timestamp;
use crate::usage::Usage;

/// A tier that stays over its quota gets another meditation each time it grows by a 40th of the quota: often enough to
/// stay below the hard limit, but not on every write where protection leaves nothing to archive.
const STEPS_PER_QUOTA: u64 = 40;

/// Bytes that a write adds to tiers, admitted against their hard limits.
#[derive(Debug)]
pub(super) struct Admission {
    settings: EffectiveSettings,
    before: Usage,
    added: Vec<(Tier, u64)>,
    over: Vec<Tier>,
    waiting: Option<MeditationId>,
}

impl Admission {
    /// Admits `added` bytes by tier, or fails with [`Error::QuotaExceeded`].
    pub(super) async fn ask(
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        settings: EffectiveSettings,
        added: Vec<(Tier, u64)>,
    ) -> Result<Self> {
        let waiting = context.waiting_meditation;
        match admit(&context.usage, &settings, &added) {
            Ok(over) => Ok(Self { settings, before: context.usage.clone(), added, over, waiting }),
            Err(full) => Err(full_tier(tx, &settings, waiting, full).await?),
        }
    }

    /// Schedules a run if a tier crossed its quota, or grew well past it, and no run is waiting (K-1.4).
    pub(super) async fn follow_up(
        &self,
        tx: &mut dyn VaultTransaction,
        ids: &dyn Ids,
        now: Timestamp,
        traceparent: Option<&str>,
    ) -> Result<()> {
        if self.waiting.is_some() || !self.over.iter().any(|&tier| self.crossed(tier)) {
            return Ok(());
        }
        schedule_run(tx, ids, now, (Trigger::Quota, Asked::default()), false, None, traceparent).await.map(drop)
    }

    /// The share of its quota that each grown tier holds after the write, for the histogram.
    pub(super) fn shares(&self) -> Vec<(Tier, f64)> {
        self.added.iter().map(|&(tier, _)| (tier, share(self.after(tier), self.settings.quota(tier)))).collect()
    }

    fn added(&self, tier: Tier) -> u64 {
        self.added.iter().filter(|(grown, _)| *grown == tier).map(|(_, bytes)| bytes).sum()
    }

    fn after(&self, tier: Tier) -> u64 {
        self.before.active_bytes(tier).saturating_add(self.added(tier))
    }

    fn crossed(&self, tier: Tier) -> bool {
        let quota = self.settings.quota(tier);
        step(self.after(tier), quota) > step(self.before.active_bytes(tier), quota)
    }
}

/// Returns 0 up to the quota; above it 1, plus 1 for each full part of the quota.
const fn step(bytes: u64, quota: u64) -> u64 {
    let part = if quota < STEPS_PER_QUOTA { 1 } else { quota / STEPS_PER_QUOTA };
    if bytes <= quota { 0 } else { 1 + (bytes - quota) / part }
}

/// Returns `bytes` as a share of `quota`; 0 for an empty quota.
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn share(bytes: u64, quota: u64) -> f64 {
    if quota == 0 { 0.0 } else { bytes as f64 / quota as f64 }
}

/// Makes the error for a full tier, naming what makes room.
pub(super) async fn full_tier(
    tx: &mut dyn VaultTransaction,
    settings: &EffectiveSettings,
    waiting: Option<MeditationId>,
    full: Full,
) -> Result<Error> {
    let Full { tier, used, limit, requested } = full;
    let movable = tx.as_reader().movable_bytes().await?[tier as usize];
    let relief = if full.meditation_helps(settings, movable) {
        Relief::Meditation(waiting)
    } else {
        Relief::Quota(Some(full.quota_needed(settings)))
    };
    Ok(Error::QuotaExceeded { tier, used: Some(used), limit, requested, relief })
}

impl App {
    /// Reports a full tier to the observer. Where a meditation makes room and none is waiting, schedules one in a
    /// separate transaction, because the refused one changed nothing.
    pub(super) async fn relieved<T>(&self, user: &UserId, traceparent: Option<&str>, outcome: Result<T>) -> Result<T> {
        let Err(Error::QuotaExceeded { tier, used, limit, requested, relief }) = outcome else { return outcome };
        self.observer.quota_refused(tier);
        let relief = match relief {
            Relief::Meditation(None) => Relief::Meditation(Some(self.meditation_for_room(user, traceparent).await?)),
            known => known,
        };
        Err(Error::QuotaExceeded { tier, used, limit, requested, relief })
    }

    /// Like [`relieved`](Self::relieved), for a write that returns the quota shares of the tiers that grew: observes them.
    pub(super) async fn grown<T>(
        &self,
        user: &UserId,
        traceparent: Option<&str>,
        outcome: Result<(T, Vec<(Tier, f64)>)>,
    ) -> Result<T> {
        let (answer, shares) = self.relieved(user, traceparent, outcome).await?;
        for (tier, share) in shares {
            self.observer.quota_usage(tier, share);
        }
        Ok(answer)
    }

    /// Returns the waiting run, or schedules one.
    async fn meditation_for_room(&self, user: &UserId, traceparent: Option<&str>) -> Result<MeditationId> {
        let (ids, now) = (Arc::clone(&self.ids), self.clock.now());
        let trace: Option<Arc<str>> = traceparent.map(Into::into);
        let scheduled = self.vaults.transact(user, "make_room", move |tx| {
            let (ids, trace) = (Arc::clone(&ids), trace.clone());
            Box::pin(async move {
                if let Some(waiting) = tx.write_context(None).await?.waiting_meditation {
                    return Ok(waiting);
                }
                let run =
                    schedule_run(tx, &*ids, now, (Trigger::Quota, Asked::default()), false, None, trace.as_deref());
                Ok(run.await?.id)
            })
        });
        scheduled.await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_rises_when_the_quota_is_crossed_and_with_every_fortieth_above() {
        assert_eq!(step(0, 4_000), 0);
        assert_eq!(step(4_000, 4_000), 0);
        assert_eq!(step(4_001, 4_000), 1);
        assert_eq!(step(4_099, 4_000), 1);
        assert_eq!(step(4_100, 4_000), 2);
        assert_eq!(step(5_000, 4_000), 11);
    }
}
