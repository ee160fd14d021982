//! Plans or schedules a meditation.

use std::sync::Arc;

use serde::Serialize;
use uuid::Uuid;

use super::App;
use super::idempotency::{self, Key};
use crate::bounds::MAX_PLAN_DECISIONS;
use crate::boxed;
use crate::error::{Entity, Error, Result};
use crate::ids::{MeditationId, UserId};
use crate::meditation::kinds::Effect;
use crate::meditation::schedule::schedule_run;
use crate::meditation::steps::Source;
use crate::meditation::{Asked, Change, Meditation, Plan, PlanToken, Preview, Trigger, nearness, preview};
use crate::ports::{Ids, VaultTransaction};
use crate::time::Timestamp;

/// How to meditate.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MeditateInput {
    /// Whether to plan only.
    pub dry_run: bool,
    /// Whether to score all memories, and not only new, touched or never-scored ones.
    pub full: bool,
    /// Names of the only steps that take part; empty for all.
    pub steps: Vec<String>,
    /// Ids of the only memories that the run scores and changes; empty for all.
    pub ids: Vec<String>,
    /// Token of the plan that the run must follow; empty for none.
    pub plan_token: String,
    /// Makes the call idempotent; empty for none. A dry run changes nothing and is planned again.
    pub request_id: String,
    /// W3C trace context, passed on to the worker.
    #[serde(skip)]
    pub traceparent: Option<String>,
}

/// The scheduled run, or the plan of a dry run.
#[derive(Clone, Debug, PartialEq)]
pub struct Meditated {
    /// The run. That of a dry run is complete, counts what it would do, and has a nil id, which must not be shown.
    pub meditation: Meditation,
    /// Whether it is a dry run.
    pub dry_run: bool,
    /// Decisions of a dry run in order, at most [`MAX_PLAN_DECISIONS`]; the run's counts cover all.
    pub decisions: Vec<Change>,
    /// Token of a dry run's plan.
    pub plan_token: Option<String>,
}

impl App {
    /// Plans a meditation (`dry_run`) or schedules one for the worker. If a waiting run already does what is asked, returns it
    /// instead of making a second one. Fails with [`Error::PlanChanged`] if `plan_token` names a plan that would no longer be made.
    #[boxed]
    pub async fn meditate(&self, user: &UserId, input: MeditateInput) -> Result<Meditated> {
        let now = self.clock.now();
        let key = self.key(&input.request_id, "meditation.meditate", &input)?;
        let asked = Asked::parse(&input.steps, &input.ids)?;
        asked.check(&self.defaults.steps)?;
        self.must_be_there(user, &asked, key.clone()).await?;
        if input.dry_run {
            if !input.plan_token.is_empty() {
                return Err(Error::invalid("plan_token", "is for a real run; leave it empty or dry_run unset"));
            }
            let plan = self.foresee(user, (input.full, &asked), now.start_of_hour(), now).await?;
            return Ok(planned(plan, (input.full, asked), now));
        }
        let token = Some(&input.plan_token).filter(|token| !token.is_empty());
        let token = token.map(|token| PlanToken::parse(token, now)).transpose()?;
        if let Some(token) = token
            && !self.is_replay(user, key.clone()).await?
            && self.foresee(user, (input.full, &asked), token.as_of, now).await?.token() != token
        {
            return Err(Error::PlanChanged);
        }
        let ids = Arc::clone(&self.ids);
        let ask = Arc::new(Ask { full: input.full, asked, token, key, now, ids, traceparent: input.traceparent });
        let schedule = self.vaults.transact(user, "meditation.schedule", move |tx| {
            let ask = Arc::clone(&ask);
            Box::pin(async move { ask.schedule(tx).await })
        });
        Ok(Meditated { meditation: schedule.await?, dry_run: false, decisions: Vec::new(), plan_token: None })
    }

    /// Fails if a memory that the run is limited to does not exist, unless the call is a replay.
    async fn must_be_there(&self, user: &UserId, asked: &Asked, key: Option<Key>) -> Result<()> {
        if asked.ids.is_empty() || self.is_replay(user, key).await? {
            return Ok(());
        }
        let ids = asked.ids.clone();
        let known = self.vaults.read(user, move |reader| {
            let ids = ids.clone();
            Box::pin(async move { reader.seqs(&ids).await })
        });
        let known = known.await?;
        let missing = asked.ids.iter().find(|id| known.iter().all(|(known, _)| known != *id));
        missing.map_or(Ok(()), |id| Err(Error::NotFound { entity: Entity::Memory, id: id.to_string() }))
    }

    async fn foresee(
        &self,
        user: &UserId,
        (full, asked): (bool, &Asked),
        as_of: Timestamp,
        now: Timestamp,
    ) -> Result<Plan> {
        let ask = Preview { trigger: Trigger::Request, full, asked: asked.clone(), as_of, now };
        let (defaults, vectors, user_id) = (Arc::clone(&self.defaults), self.vectors.clone(), user.clone());
        let load = self.vaults.read(user, move |reader| {
            let (ask, defaults, vectors, user) = (ask.clone(), Arc::clone(&defaults), vectors.clone(), user_id.clone());
            Box::pin(async move {
                let nearness = nearness::load(reader, vectors.as_deref(), &user, as_of).await?;
                preview(reader, ask, &defaults, &nearness).await
            })
        });
        let (snapshot, scored) = load.await?;
        Plan::make(Source { vaults: &self.vaults, user, vectors: self.vectors.as_ref() }, snapshot, scored).await
    }

    /// Reports whether the call was answered before: the plan that it names may have been carried out long ago.
    async fn is_replay(&self, user: &UserId, key: Option<Key>) -> Result<bool> {
        let Some(key) = key else { return Ok(false) };
        let prior = self.vaults.read(user, move |reader| {
            let key = key.clone();
            Box::pin(async move {
                let context = reader.write_context(Some(key.request_id())).await?;
                key.replay::<Meditation>(context.prior.as_ref())
            })
        });
        Ok(prior.await?.is_some())
    }
}

/// A requested real run.
struct Ask {
    full: bool,
    asked: Asked,
    token: Option<PlanToken>,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    traceparent: Option<String>,
}

impl Ask {
    async fn schedule(&self, tx: &mut dyn VaultTransaction) -> Result<Meditation> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(answer) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok(answer);
        }
        let expected = self.token.map(|token| token.to_string());
        let waiting = tx.waiting_meditation().await?.filter(|run| {
            let does_as_much = run.full || !self.full;
            does_as_much && run.expected_plan == expected && self.asked.is_everything()
        });
        let run = if let Some(run) = waiting {
            run
        } else {
            let asked = (Trigger::Request, self.asked.clone());
            let (ids, traceparent) = (&*self.ids, self.traceparent.as_deref());
            schedule_run(tx, ids, self.now, asked, self.full, expected, traceparent).await?
        };
        idempotency::remember(self.key.as_ref(), tx, &run, self.now).await?;
        Ok(run)
    }
}

/// Makes the answer to a dry run.
fn planned(plan: Plan, (full, asked): (bool, Asked), now: Timestamp) -> Meditated {
    let mut run = Meditation::scheduled(MeditationId(Uuid::nil()), Trigger::Request, full, now);
    (run.asked, run.steps, run.processed) = (asked, plan.steps.clone(), plan.scored);
    (run.archived, run.archived_bytes) = plan.total(Effect::Archives);
    (run.pruned, run.pruned_bytes) = plan.total(Effect::Erases);
    run.as_of = plan.as_of;
    run.started_at = Some(now);
    run.complete(now);
    let plan_token = Some(plan.token().to_string());
    run.tiers = plan.tiers;
    let mut decisions = plan.decisions;
    decisions.truncate(MAX_PLAN_DECISIONS);
    Meditated { meditation: run, dry_run: true, decisions, plan_token }
}
