//! The language model of `[language_model]`, behind the port of core: within a budget, left alone for a while when it fails.
//! Texts go to its endpoint alone and into no log.

mod budget;
mod endpoint;
mod rest;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::ports::{Clock, LanguageModel, NoAnswer, Task};
use tokio::sync::Semaphore;

use crate::config::LanguageModelConfig;
use crate::{Failure, Metrics};
use budget::Budget;
use endpoint::Endpoint;
use rest::Rest;

/// A model behind an endpoint.
pub(crate) struct Model {
    endpoint: Arc<Endpoint>,
    places: Semaphore,
    budget: Mutex<Budget>,
    rest: Mutex<Rest>,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
}

impl Model {
    /// The configured one, if there is one. Fails where its key cannot be read.
    pub(crate) fn open(
        config: &LanguageModelConfig,
        clock: Arc<dyn Clock>,
        metrics: Metrics,
    ) -> Result<Option<Arc<dyn LanguageModel>>, Failure> {
        let Some(endpoint) = Endpoint::of(config)? else { return Ok(None) };
        Ok(Some(Arc::new(Self {
            endpoint: Arc::new(endpoint),
            places: Semaphore::new(config.concurrency),
            budget: Mutex::new(Budget::new(config.calls_per_user_and_day)),
            rest: Mutex::default(),
            clock,
            metrics,
        })))
    }

    fn may_ask(&self, user: &UserId) -> Result<(), NoAnswer> {
        let now = self.clock.now();
        if self.rest.lock().unwrap_or_else(PoisonError::into_inner).rests(now) {
            return Err(NoAnswer::Resting);
        }
        let mut budget = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
        if budget.spend(user, now) { Ok(()) } else { Err(NoAnswer::Budget) }
    }

    async fn ask(&self, task: &Task) -> Result<String, NoAnswer> {
        // The semaphore is never closed.
        let _place = self.places.acquire().await.map_err(|_| NoAnswer::Failed)?;
        let (endpoint, task) = (Arc::clone(&self.endpoint), task.clone());
        let answer = tokio::task::spawn_blocking(move || endpoint.ask(&task)).await;
        let answer = match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(problem)) => {
                tracing::warn!(problem, "the language model did not answer");
                Err(NoAnswer::Failed)
            }
            Err(_) => Err(NoAnswer::Failed),
        };
        self.rest.lock().unwrap_or_else(PoisonError::into_inner).note(answer.is_ok(), self.clock.now());
        let answer = answer?;
        self.metrics.add("language_model.tokens.in", answer.tokens_in);
        self.metrics.add("language_model.tokens.out", answer.tokens_out);
        Ok(answer.content)
    }
}

#[async_trait]
impl LanguageModel for Model {
    async fn answer(&self, user: &UserId, task: &Task) -> Result<String, NoAnswer> {
        let answer = match self.may_ask(user) {
            Ok(()) => self.ask(task).await,
            Err(why) => Err(why),
        };
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
