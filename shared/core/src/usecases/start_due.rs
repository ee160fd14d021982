//! Starts scheduled runs that are due, for the worker.

use std::sync::Arc;

use super::App;
use crate::boxed;
use crate::error::Result;
use crate::meditation::schedule::{next_due, next_rotation, rotation_is_due, schedule_run};
use crate::meditation::{Asked, Trigger};
use crate::memory::Tier;
use crate::ports::{DueUser, Ids, Registry, VaultTransaction};
use crate::settings::EffectiveSettings;
use crate::time::Timestamp;

/// Newest runs searched for one that was scheduled for the same due time.
const RECENT_RUNS: usize = 50;

impl App {
    /// Schedules the run that is due, and moves the due time on. Safe to repeat, to interrupt anywhere and to race: the
    /// run is scheduled once for its due time, and the due time is moved only if it is still the one that was seen. A
    /// rotation of a vault with nothing to rotate or erase only moves the due time.
    #[boxed]
    pub async fn start_due(&self, registry: &dyn Registry, due: &DueUser) -> Result<()> {
        let now = self.clock.now();
        let (idle, next) = self.look(due, now).await?;
        if !idle {
            let work = Arc::new(Start { due: due.clone(), now, ids: Arc::clone(&self.ids) });
            let schedule = self.vaults.transact(&due.user, "meditation.start_due", move |tx| {
                let work = Arc::clone(&work);
                Box::pin(async move { work.run(tx).await })
            });
            schedule.await?;
        }
        registry.reschedule(&due.user, due.trigger, Some(due.due_at), next).await.map(drop)
    }

    /// Returns whether there is nothing to do, and when to look again.
    async fn look(&self, due: &DueUser, now: Timestamp) -> Result<(bool, Timestamp)> {
        let rotates = due.trigger == Trigger::Rotation;
        let read = self.vaults.read(&due.user, move |reader| {
            Box::pin(async move {
                let context = reader.write_context(None).await?;
                let usage = &context.usage;
                let some = usage.active_bytes(Tier::ShortTerm) > 0 || usage.archive().items > 0;
                let items = if rotates && some { reader.retention_items().await? } else { Vec::new() };
                Ok((reader.data_version().await?, context, items))
            })
        });
        let (version, context, items) = read.await?;
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        // A user without a vault was purged since, and must not get a new one.
        let gone = version == 0;
        if rotates {
            let idle = gone || !rotation_is_due(&items, &settings, now);
            return Ok((idle, next_rotation(&due.user, &items, &settings, now)));
        }
        Ok((gone, next_due(&due.user, &settings, now)))
    }
}

struct Start {
    due: DueUser,
    now: Timestamp,
    ids: Arc<dyn Ids>,
}

impl Start {
    /// Schedules the run, unless it was scheduled for this due time already, or a waiting one will do its work. A run of the user's
    /// schedule scores all memories, so that no score is older than one interval: recency also fades for what is never touched.
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<()> {
        let (trigger, due_at) = (self.due.trigger, self.due.due_at);
        let recent = tx.meditations(None, RECENT_RUNS).await?;
        if recent.iter().any(|run| run.trigger == trigger && run.created_at >= due_at) {
            return Ok(());
        }
        let full = trigger == Trigger::Schedule;
        if full && let Some(mut waiting) = tx.waiting_meditation().await? {
            if waiting.trigger == Trigger::Quota && !waiting.full {
                waiting.full = true;
                tx.put_meditation(&waiting).await?;
            }
            return Ok(());
        }
        schedule_run(tx, &*self.ids, self.now, (trigger, Asked::default()), full, None, None).await.map(drop)
    }
}
