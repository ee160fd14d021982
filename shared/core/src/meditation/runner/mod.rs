//! Carries out a run: loads, plans, and applies in small batches, each one transaction that also writes its decisions,
//! its audit rows and the run's progress.
//!
//! A run may be interrupted at any point and taken again, by the same worker or another:
//! - Taking it raises its generation, and every transaction first checks that the generation is unchanged. A worker
//!   that was overtaken stops, and none of its later work is applied.
//! - The rest is planned again from the present vault, with ages counted from the same hour. Steps are designed so that
//!   this gives the rest of the first plan. Scores that were applied are not due again, or get the same values again.
//! - Spares change nothing in the vault, so they are looked up in the run's recorded decisions instead.

mod apply;
mod finish;
mod give_up;
mod load;
mod score;
mod start;

use std::sync::Arc;

pub(crate) use self::apply::observe;
pub(crate) use self::give_up::give_up;
use super::preview::Conditions;
use super::steps::{only_read_pages, reads_pages};
use super::{Meditation, PlanToken};
use crate::error::{Error, Result};
use crate::ids::{MeditationId, UserId};
use crate::ports::{Clock, Ids, Observer, VaultTransaction, Vaults, VectorReader};
use crate::settings::ServerDefaults;

/// Carries out runs of one user.
pub(crate) struct Runner<'a> {
    /// The vaults.
    pub(crate) vaults: &'a Arc<dyn Vaults>,
    /// The clock.
    pub(crate) clock: &'a dyn Clock,
    /// Receives telemetry.
    pub(crate) observer: &'a dyn Observer,
    /// Generates ids.
    pub(crate) ids: &'a Arc<dyn Ids>,
    /// The operator's configuration.
    pub(crate) defaults: &'a Arc<ServerDefaults>,
    /// The vectors of all users, if there are any.
    pub(crate) vectors: Option<Arc<dyn VectorReader>>,
    /// The user.
    pub(crate) user: &'a UserId,
}

/// Whether a worker still holds its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// The worker holds it.
    Ours,
    /// Another worker took it, or it ended.
    Lost,
}

impl Runner<'_> {
    /// Carries the run out to its end. Returns `Ok` also when there is nothing to do: no such run, a run that is over,
    /// or one that another worker takes meanwhile. On an error the run stays as it is, to be taken again.
    pub(crate) async fn run(&self, id: MeditationId) -> Result<()> {
        let Some(run) = self.start(id).await? else { return Ok(()) };
        let recorded = self.recorded(&run).await?;
        let begun = recorded.begun;
        let nearness = self.nearness(&run).await?;
        if !begun && run.expected_plan.is_some() && !is_expected(&run, self.foreseen(&run, &nearness).await?) {
            return self.fail(&run, Error::PlanChanged.to_string()).await;
        }
        let (Conditions { settings, scorer }, pages) = self.conditions(&run, &nearness).await?;
        if !begun && reads_pages(&run.steps) && self.score(&run, pages, scorer).await? == Hold::Lost {
            return Ok(());
        }
        if only_read_pages(&run.steps) && run.expected_plan.is_none() {
            return self.finish(&run, Vec::new()).await;
        }
        let plan = self.plan(&run, settings.clone(), &recorded).await?;
        if !begun && !is_expected(&run, plan.token()) {
            return self.fail(&run, Error::PlanChanged.to_string()).await;
        }
        match self.apply(&run, &settings, plan, &recorded).await? {
            Some(read) => self.finish(&run, self.as_left(&run, read).await?).await,
            None => Ok(()),
        }
    }
}

/// Reports whether a plan is the one that the run must carry out, or whether any plan will do.
fn is_expected(run: &Meditation, token: PlanToken) -> bool {
    run.expected_plan.as_ref().is_none_or(|expected| *expected == token.to_string())
}

/// Returns the stored run, if this worker still holds it (fencing). Every transaction must call this first.
async fn still_ours(tx: &mut dyn VaultTransaction, run: &Meditation) -> Result<Option<Meditation>> {
    let current = tx.meditation(run.id).await?;
    Ok(current.filter(|current| !current.is_over() && current.generation == run.generation))
}
