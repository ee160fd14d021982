//! Carries out scheduled runs, for the worker.

use super::App;
use crate::boxed;
use crate::error::Result;
use crate::ids::{MeditationId, UserId};
use crate::meditation::runner::{Runner, give_up};

impl App {
    /// Carries out a scheduled run to its end. Safe to call again at any time, even while another worker carries it
    /// out: the later one takes over, and a run that was interrupted ends like an undisturbed one. Also returns `Ok` if
    /// there is no such run or it is over. After an error the run is as it was left, to be carried out by another call.
    #[boxed]
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

    /// Marks a run as failed that no attempt could carry out. `why` is shown to the user, so it must hold no internals.
    /// Does nothing to a run that is over or unknown. What was applied stays applied and is recorded.
    #[boxed]
    pub async fn fail_meditation(&self, user: &UserId, id: MeditationId, why: &str) -> Result<()> {
        give_up(&self.vaults, user, id, why, self.clock.now()).await
    }
}
