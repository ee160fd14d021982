//! The language model of `[language_model]`, as an implementation of core's port. Calls have a budget, and a circuit
//! breaker pauses them after failures. Texts go only to its endpoint and never into a log.

mod budget;
mod endpoint;
mod rest;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use kimberly_core::ports::{Clock, LanguageModel, NoAnswer, Task};
use kimberly_core::{Timestamp, UserId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::LanguageModelConfig;
use crate::{Failure, Metrics};
use budget::Budget;
use endpoint::Endpoint;
use rest::Rest;

/// Minimum timeout: the HTTP client rejects zero.
const SHORTEST: Duration = Duration::from_millis(1);

/// A model behind an endpoint.
pub(crate) struct Model {
    endpoint: Arc<Endpoint>,
    permits: Arc<Semaphore>,
    /// Calls of background work.
    background: Lane,
    /// Calls that a caller waits for.
    awaited: Lane,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
}

/// A class of calls with its own budget and circuit breaker, so that neither class uses up or blocks the other.
struct Lane {
    /// Timeout of an answer.
    timeout: Duration,
    /// Today's calls.
    budget: Mutex<Budget>,
    /// The circuit breaker.
    rest: Mutex<Rest>,
}

impl Lane {
    fn new(timeout: Duration, calls_per_user_and_day: u32) -> Self {
        Self { timeout, budget: Mutex::new(Budget::new(calls_per_user_and_day)), rest: Mutex::default() }
    }

    fn rests(&self, now: Timestamp) -> bool {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner).rests(now)
    }

    fn note(&self, answered: bool, now: Timestamp) {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner).note(answered, now);
    }

    fn spend(&self, user: &UserId, now: Timestamp) -> Result<(), NoAnswer> {
        let mut budget = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
        if budget.spend(user, now) { Ok(()) } else { Err(NoAnswer::Budget) }
    }
}

impl Model {
    /// Returns the configured model, if any. Fails if its key cannot be read.
    pub(crate) fn open(
        config: &LanguageModelConfig,
        clock: Arc<dyn Clock>,
        metrics: Metrics,
    ) -> Result<Option<Arc<dyn LanguageModel>>, Failure> {
        let Some(endpoint) = Endpoint::of(config)? else { return Ok(None) };
        Ok(Some(Arc::new(Self {
            endpoint: Arc::new(endpoint),
            permits: Arc::new(Semaphore::new(config.concurrency)),
            background: Lane::new(config.timeout.0, config.calls_per_user_and_day),
            awaited: Lane::new(config.recall_timeout.0.min(config.timeout.0), config.calls_per_user_and_day),
            clock,
            metrics,
        })))
    }

    fn lane(&self, task: &Task) -> &Lane {
        if task.is_awaited { &self.awaited } else { &self.background }
    }

    /// Acquires a call permit; awaited tasks wait at most their timeout. The semaphore is never closed.
    async fn permit(&self, task: &Task) -> Result<OwnedSemaphorePermit, NoAnswer> {
        let permit = Arc::clone(&self.permits).acquire_owned();
        let permit = if task.is_awaited {
            tokio::time::timeout(self.awaited.timeout, permit).await.map_err(|_elapsed| NoAnswer::Failed)?
        } else {
            permit.await
        };
        permit.map_err(|_closed| NoAnswer::Failed)
    }

    async fn ask(&self, user: &UserId, task: &Task) -> Result<String, NoAnswer> {
        let (lane, asked_at) = (self.lane(task), Instant::now());
        let permit = self.permit(task).await?;
        lane.spend(user, self.clock.now())?;
        let waited = if task.is_awaited { asked_at.elapsed() } else { Duration::ZERO };
        let within = lane.timeout.saturating_sub(waited).max(SHORTEST);
        let (endpoint, asked) = (Arc::clone(&self.endpoint), task.clone());
        // The call continues, and keeps its permit, even if the caller is gone.
        let answer = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            endpoint.ask(&asked, within)
        });
        let answer = answer.await;
        let answer = match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(problem)) => {
                tracing::warn!(problem, "the language model did not answer");
                Err(NoAnswer::Failed)
            }
            Err(_) => Err(NoAnswer::Failed),
        };
        lane.note(answer.is_ok(), self.clock.now());
        let answer = answer?;
        self.metrics.add("language_model.tokens.in", answer.tokens_in);
        self.metrics.add("language_model.tokens.out", answer.tokens_out);
        Ok(answer.content)
    }
}

#[async_trait]
impl LanguageModel for Model {
    async fn answer(&self, user: &UserId, task: &Task) -> Result<String, NoAnswer> {
        let answer =
            if self.lane(task).rests(self.clock.now()) { Err(NoAnswer::Resting) } else { self.ask(user, task).await };
        let name = match &answer {
            Ok(_) => "language_model.calls.answered",
            Err(NoAnswer::Budget) => "language_model.calls.over_budget",
            Err(NoAnswer::Resting) => "language_model.calls.resting",
            Err(NoAnswer::Failed) => "language_model.calls.failed",
        };
        self.metrics.add(name, 1);
        answer
    }
}
