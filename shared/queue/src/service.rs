//! The tower service that apalis calls: takes a permit, then runs the job in its own task.
//!
//! For apalis every job ends at once. Its worker is only fetch and heartbeat: a handler can neither delay its
//! heartbeats nor be dropped with it.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::Arc,
    task::{Context, Poll},
};

use apalis_core::task::Task;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::{sync::PollSemaphore, task::TaskTracker};
use tower_service::Service;

use crate::{claim::Desk, settle::Claim};

/// Passes claimed jobs to the desk, one per free permit.
pub(crate) struct Intake {
    desk: Desk,
    worker: String,
    running: TaskTracker,
    permits: PollSemaphore,
    permit: Option<OwnedSemaphorePermit>,
}

impl Intake {
    pub(crate) fn new(desk: Desk, worker: String, running: TaskTracker, permits: Arc<Semaphore>) -> Self {
        Self { desk, worker, running, permits: PollSemaphore::new(permits), permit: None }
    }
}

impl Service<Task<Vec<u8>>> for Intake {
    type Response = ();
    type Error = Infallible;
    type Future = Ready<Result<(), Infallible>>;

    /// Ready only while holding a permit, so that apalis never fetches a job that would have to wait.
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        if self.permit.is_none() {
            match self.permits.poll_acquire(cx) {
                Poll::Ready(Some(permit)) => self.permit = Some(permit),
                Poll::Ready(None) | Poll::Pending => return Poll::Pending,
            }
        }
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, task: Task<Vec<u8>>) -> Self::Future {
        let permit = self.permit.take();
        let desk = self.desk.clone();
        let claim = Claim {
            task_id: task.task_id().map(ToString::to_string).unwrap_or_default(),
            worker: self.worker.clone(),
            ended_runs: i64::try_from(task.attempt()).unwrap_or(i64::MAX),
        };
        let max =
            task.max_attempts().and_then(|max| u32::try_from(max).ok()).unwrap_or(desk.shared.options.max_attempts);
        self.running.spawn(async move {
            desk.work(claim, task.args, max).await;
            drop(permit);
        });
        ready(Ok(()))
    }
}
