//! The inputs that a run reads before it changes anything.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Runner;
use crate::error::Result;
use crate::ids::{MeditationId, Seq};
use crate::meditation::kinds::Effect;
use crate::meditation::preview::{Conditions, Pages};
use crate::meditation::steps::{Source, reads_pages};
use crate::meditation::{Kind, Meditation, Plan, PlanToken, Preview, Snapshot, nearness, preview};
use crate::ports::VaultReader;
use crate::scoring::GoalNearness;
use crate::settings::EffectiveSettings;

/// Decisions read at a time.
const PAGE: usize = 1_000;

/// The decisions of a run before it was interrupted.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// Whether it decided anything.
    pub(super) begun: bool,
    /// The memories whose fate it decided.
    pub(super) all: HashSet<Seq>,
    /// The memories that it archived.
    pub(super) archived: HashSet<Seq>,
    /// The number of memories that it spared.
    pub(super) spares: usize,
    /// The number of records that each step changed.
    pub(super) done: HashMap<&'static str, u64>,
}

impl Recorded {
    async fn load(reader: &mut dyn VaultReader, run: MeditationId) -> Result<Self> {
        let (mut recorded, mut after) = (Self::default(), 0);
        loop {
            let page = reader.decisions(run, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(recorded) };
            after = last.position;
            for decision in page.into_iter().map(|recorded| recorded.decision) {
                if decision.kind.rules().settles() {
                    recorded.all.insert(decision.seq());
                }
                recorded.begun = true;
                if decision.kind.rules().effect() == Effect::Archives {
                    recorded.archived.insert(decision.seq());
                }
                if decision.kind == Kind::Spare {
                    recorded.spares += 1;
                } else {
                    *recorded.done.entry(decision.step).or_default() += decision.subjects.len() as u64;
                }
            }
        }
    }
}

impl Runner<'_> {
    /// Reads what the run decided before it was interrupted; nothing on its first start.
    pub(super) async fn recorded(&self, run: &Meditation) -> Result<Recorded> {
        let (id, first) = (run.id, run.generation == 1);
        if first {
            return Ok(Recorded::default());
        }
        self.vaults.read(self.user, move |reader| Box::pin(Recorded::load(reader, id))).await
    }

    /// Reads the nearness to goals. Once per run, so that the run stays consistent whatever is embedded meanwhile.
    pub(super) async fn nearness(&self, run: &Meditation) -> Result<GoalNearness> {
        let Some(vectors) = self.vectors.clone().filter(|_| reads_pages(&run.steps)) else {
            return Ok(GoalNearness::default());
        };
        let (user, as_of) = (self.user.clone(), run.as_of);
        let load = self.vaults.read(self.user, move |reader| {
            let (vectors, user) = (Arc::clone(&vectors), user.clone());
            Box::pin(async move { nearness::load(reader, Some(&*vectors), &user, as_of).await })
        });
        load.await
    }

    /// Reads settings, goals and outcomes, and selects the memories whose contents the run reads.
    pub(super) async fn conditions(&self, run: &Meditation, nearness: &GoalNearness) -> Result<(Conditions, Pages)> {
        let (defaults, nearness, run) = (Arc::clone(self.defaults), nearness.clone(), run.clone());
        let load = self.vaults.read(self.user, move |reader| {
            let (defaults, nearness, run) = (Arc::clone(&defaults), nearness.clone(), run.clone());
            Box::pin(async move {
                let conditions = Conditions::load(reader, &defaults, &nearness, run.as_of).await?;
                let pages = Pages::new(reader, run.full, &run.asked, &conditions.settings).await?;
                Ok((conditions, pages))
            })
        });
        load.await
    }

    /// Returns the token of the plan that the run would make, before it changes anything.
    pub(super) async fn foreseen(&self, run: &Meditation, nearness: &GoalNearness) -> Result<PlanToken> {
        let (asked, now) = (run.asked.clone(), self.clock.now());
        let ask = Preview { trigger: run.trigger, full: run.full, asked, as_of: run.as_of, now };
        let (defaults, nearness) = (Arc::clone(self.defaults), nearness.clone());
        let load = self.vaults.read(self.user, move |reader| {
            let (ask, defaults, nearness) = (ask.clone(), Arc::clone(&defaults), nearness.clone());
            Box::pin(async move { preview(reader, ask, &defaults, &nearness).await })
        });
        let (snapshot, scored) = load.await?;
        Ok(Plan::make(self.source(), snapshot, scored).await?.token())
    }

    /// Makes the plan, or what is left of it, from the stored scores.
    pub(super) async fn plan(
        &self,
        run: &Meditation,
        settings: EffectiveSettings,
        recorded: &Recorded,
    ) -> Result<Plan> {
        let restricted_to = (run.trigger, run.asked.clone(), run.steps.clone());
        let times = (run.as_of, self.clock.now());
        let load = self.vaults.read(self.user, move |reader| {
            let (settings, restricted_to) = (settings.clone(), restricted_to.clone());
            Box::pin(Snapshot::load(reader, settings, restricted_to, times))
        });
        let mut snapshot = load.await?;
        snapshot.archived_here.clone_from(&recorded.archived);
        snapshot.done_here.clone_from(&recorded.done);
        Plan::make(self.source(), snapshot, run.processed).await
    }

    fn source(&self) -> Source<'_> {
        Source { vaults: self.vaults, user: self.user, vectors: self.vectors.as_ref() }
    }
}
