//! Carries out changes that a call decided itself, in the call's transaction. They get a run record, so that they are
//! reported, watched and explained like those of a meditation.

use std::sync::Arc;

use crate::error::Result;
use crate::ids::MeditationId;
use crate::meditation::kinds::{Applying, carry_out, standing};
use crate::meditation::schedule::entry as run_entry;
use crate::meditation::{Change, Kind, Meditation, Trigger};
use crate::memory::MemoryState;
use crate::ports::{Ids, VaultTransaction};
use crate::settings::EffectiveSettings;
use crate::time::Timestamp;
use crate::usage::Usage;

/// The trigger, settings and time of changes that a call carries out.
pub(super) struct Archiving<'a> {
    /// The trigger of the run.
    pub(super) trigger: Trigger,
    /// Name of the step that decided.
    pub(super) step: &'static str,
    /// The user's settings.
    pub(super) settings: &'a EffectiveSettings,
    /// Usage before the run.
    pub(super) usage: Usage,
    /// Time of the run.
    pub(super) now: Timestamp,
    /// Makes new ids.
    pub(super) ids: Arc<dyn Ids>,
}

impl Archiving<'_> {
    /// Carries out the decisions whose subjects are still unchanged, and returns those. Writes nothing without decisions.
    pub(super) async fn carry_out(
        mut self,
        tx: &mut dyn VaultTransaction,
        decisions: Vec<Change>,
    ) -> Result<Vec<Change>> {
        if decisions.is_empty() {
            return Ok(decisions);
        }
        let now = self.now;
        let mut run = Meditation::scheduled(MeditationId(self.ids.new_id(now)), self.trigger, false, now);
        run.take(now, &self.usage, self.settings, &[self.step]);
        tx.put_meditation(&run).await?;
        let standing = standing(tx, &decisions).await?;
        let when = Applying { at: now, delete_after: now.plus(self.settings.grace.value), making: None };
        let carried_out = carry_out(tx, run.id, decisions, &standing, when).await?;
        for done in carried_out.iter().filter(|change| change.kind == Kind::Archive) {
            let Some(tier) = done.tier() else { continue };
            let active = self.usage.count_mut(tier, MemoryState::Active);
            active.bytes = active.bytes.saturating_sub(done.size_bytes());
        }
        run.account(&carried_out, &self.usage);
        run.complete(now);
        tx.put_meditation(&run).await?;
        tx.audit(&run_entry(&run, "memory.archive", now, run.archived)).await?;
        Ok(carried_out)
    }
}
