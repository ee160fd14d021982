//! Starts a run.

use std::sync::Arc;

use super::Runner;
use crate::error::Result;
use crate::ids::MeditationId;
use crate::meditation::Meditation;
use crate::meditation::preview::steps_taking_part;
use crate::meditation::schedule::entry;
use crate::ports::VaultTransaction;
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;

impl Runner<'_> {
    /// Takes the run: raises its generation, so that its earlier worker stops. `None` if there is no such run or it is
    /// over.
    pub(super) async fn start(&self, id: MeditationId) -> Result<Option<Meditation>> {
        let (defaults, now) = (Arc::clone(self.defaults), self.clock.now());
        let take = self.vaults.transact(self.user, "meditation.start", move |tx| {
            let defaults = Arc::clone(&defaults);
            Box::pin(async move { take(tx, id, now, &defaults).await })
        });
        take.await
    }
}

async fn take(
    tx: &mut dyn VaultTransaction,
    id: MeditationId,
    now: Timestamp,
    defaults: &ServerDefaults,
) -> Result<Option<Meditation>> {
    let Some(mut run) = tx.meditation(id).await?.filter(|run| !run.is_over()) else { return Ok(None) };
    let context = tx.write_context(None).await?;
    let settings = EffectiveSettings::resolve(&context.settings.settings, defaults);
    // A full run that was interrupted while scoring scores everything again, with the same results; one interrupted
    // later does not.
    if run.full && tx.decisions(id, 0, 1).await?.is_empty() {
        run.processed = 0;
    }
    let steps = steps_taking_part(tx.as_reader(), (run.trigger, &run.asked), &settings, now).await?;
    run.take(now, &context.usage, &settings, &steps);
    tx.put_meditation(&run).await?;
    tx.audit(&entry(&run, "meditation.start", now, 1)).await?;
    Ok(Some(run))
}
