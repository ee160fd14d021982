//! What the worker does with a scheduled run.

use super::App;
use crate::error::Result;
use crate::ids::{MeditationId, UserId};
use crate::meditation::runner::{Runner, give_up};

impl App {
    /// Carries out a scheduled run to its end. Safe to call again at any time, also while another worker is at the same
    /// run: the later one takes it over, and a run that was cut anywhere ends as an undisturbed one. `Ok` also when there
    /// is no such run or it is over. After an error the run is as it was left, to be carried out by another call.
    pub async fn run_meditation(&self, user: &UserId, id: MeditationId) -> Result<()> {
        let runner = Runner {
            vaults: &self.vaults,
            clock: &*self.clock,
            observer: &*self.observer,
            ids: &self.ids,
            defaults: &self.defaults,
            vectors: self.vectors.clone(),
            user,
        };
        runner.run(id).await
    }

    /// Marks a run failed that no attempt could carry out; `why` is shown to its user, so it must hold no internals.
    /// Does nothing to a run that is over or unknown. What was applied stays applied and is recorded.
    pub async fn fail_meditation(&self, user: &UserId, id: MeditationId, why: &str) -> Result<()> {
        give_up(&self.vaults, user, id, why, self.clock.now()).await
    }
}
