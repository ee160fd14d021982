//! What the worker does with users whose scheduled run is due.

use std::sync::Arc;

use super::App;
use crate::error::Result;
use crate::meditation::Trigger;
use crate::meditation::schedule::{next_due, schedule_run};
use crate::ports::{DueUser, Ids, Registry, VaultTransaction};
use crate::settings::EffectiveSettings;
use crate::time::Timestamp;

/// Runs that are looked through for one that was scheduled for the same due time.
const RECENT_RUNS: usize = 50;

impl App {
    /// Schedules the run that is due and moves the due time on. Safe to repeat, to cut anywhere and to race: the run is
    /// scheduled once for its due time, and the due time is moved only from the one that was seen. A rotation of a vault
    /// that has nothing to rotate or to erase only moves the due time.
    pub async fn start_due(&self, registry: &dyn Registry, due: &DueUser) -> Result<()> {
        let now = self.clock.now();
        let (idle, settings) = self.look(due).await?;
        if !idle {
            let work = Arc::new(Start { due: due.clone(), now, ids: Arc::clone(&self.ids) });
            let schedule = self.vaults.transact(&due.user, "meditation.start_due", move |tx| {
                let work = Arc::clone(&work);
                Box::pin(async move { work.run(tx).await })
            });
            schedule.await?;
        }
        let next = next_due(due.trigger, &due.user, &settings, now);
        registry.reschedule(&due.user, due.trigger, Some(due.due_at), next).await.map(drop)
    }

    /// Whether there is nothing to do, and what holds for the user.
    async fn look(&self, due: &DueUser) -> Result<(bool, EffectiveSettings)> {
        let read = self.vaults.read(&due.user, |reader| {
            Box::pin(async move { Ok((reader.data_version().await?, reader.write_context(None).await?)) })
        });
        let (version, context) = read.await?;
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        let short_term = context.usage.active_bytes(crate::memory::Tier::ShortTerm);
        let nothing_due = short_term == 0 && context.usage.archive().items == 0;
        // Who has no vault any more was purged since, and gets none by this.
        Ok((version == 0 || due.trigger == Trigger::Rotation && nothing_due, settings))
    }
}

struct Start {
    due: DueUser,
    now: Timestamp,
    ids: Arc<dyn Ids>,
}

impl Start {
    /// Schedules the run unless it was scheduled for this due time already, or a waiting one will do its work. The
    /// user's cadence scores all memories, so that no score is older than one interval: recency fades also of what is
    /// never touched.
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
        schedule_run(tx, &*self.ids, self.now, trigger, full, None, None).await.map(drop)
    }
}
