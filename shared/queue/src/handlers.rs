//! Dispatches each job to the handler of its kind.

use std::future::ready;

use crate::envelope::JobEnvelope;
use crate::handler::{HandlerError, HandlerFuture, JobHandler};
use crate::job::Attempt;
use crate::kinds::JobKind;

/// Handlers by kind. A job of an unknown kind becomes a dead letter.
#[derive(Default)]
pub struct Handlers {
    by_kind: Vec<(&'static JobKind, Box<dyn JobHandler>)>,
}

impl Handlers {
    /// Adds a handler for a kind.
    #[must_use]
    pub fn on(mut self, kind: &'static JobKind, handler: impl JobHandler) -> Self {
        self.by_kind.push((kind, Box::new(handler)));
        self
    }

    fn of(&self, job: &JobEnvelope) -> Option<&dyn JobHandler> {
        self.by_kind.iter().find(|(kind, _)| kind.name == job.kind).map(|(_, handler)| &**handler)
    }
}

impl JobHandler for Handlers {
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture {
        match self.of(&job) {
            Some(handler) => handler.handle(job, attempt),
            None => Box::pin(ready(Err(HandlerError::permanent("the kind of the job is unknown")))),
        }
    }

    fn give_up(&self, job: JobEnvelope, reason: &str) -> HandlerFuture {
        self.of(&job).map_or_else(|| Box::pin(ready(Ok(()))) as HandlerFuture, |handler| handler.give_up(job, reason))
    }
}
