//! Keeps a consumer alive: runs apalis workers one after the other, with backoff in between.
//!
//! Jobs run in their own tasks, so the end of a worker does not affect them: it retires, its lease is renewed until
//! they have ended, and its successor starts with the free permits.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::Semaphore;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    claim::Desk,
    clock,
    handler::JobHandler,
    leases::{self, Crew},
    service::Intake,
    shared::Shared,
    worker::{self, End},
};

/// A worker that ran this long counts as recovered.
const STEADY: Duration = Duration::from_secs(10);
/// How long outcomes may still be written after jobs were cut.
const LAST_WRITES: Duration = Duration::from_secs(2);

/// How a consumer stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// Jobs still running at the stop bound; they were cut and returned to the queue.
    pub cut: usize,
}

/// One consumer, from its start to the end of its last job.
struct Consumer {
    desk: Desk,
    crew: Crew,
    permits: Arc<Semaphore>,
    concurrency: usize,
    shutdown: CancellationToken,
    cut_jobs: AtomicUsize,
}

pub(crate) async fn run(
    shared: Arc<Shared>,
    handler: Arc<dyn JobHandler>,
    concurrency: usize,
    shutdown: CancellationToken,
) -> Stopped {
    let cut = CancellationToken::new();
    // Dropping the future of `run` cuts the jobs as well.
    let _cut_on_drop = cut.clone().drop_guard();
    let concurrency = concurrency.min(Semaphore::MAX_PERMITS);
    let consumer = Arc::new(Consumer {
        desk: Desk { shared, handler, cut, abandon: CancellationToken::new() },
        crew: Crew::default(),
        permits: Arc::new(Semaphore::new(concurrency)),
        concurrency,
        shutdown,
        cut_jobs: AtomicUsize::new(0),
    });
    tokio::select! {
        () = consumer.live_until_stopped() => {}
        () = leases::maintain(&consumer.desk.shared, &consumer.crew) => {}
        () = consumer.enforce_stop_bound() => {}
    }
    Stopped { cut: consumer.cut_jobs.load(Ordering::Relaxed) }
}

impl Consumer {
    async fn live_until_stopped(self: &Arc<Self>) {
        let health = &self.desk.shared.health;
        let retiring = TaskTracker::new();
        let mut failures = 0;
        while !self.shutdown.is_cancelled() {
            let born = Instant::now();
            health.change(|h| h.running = true);
            let end = self.one_life(&retiring).await;
            health.change(|h| h.running = false);
            let End::Failed(error) = end else { break };
            let error = self.desk.shared.examine().await.map_or_else(|worse| worse.to_string(), |()| error);
            failures = if born.elapsed() >= STEADY { 1 } else { failures + 1 };
            let pause = self.desk.shared.options.restart.pause(failures, clock::jitter());
            tracing::error!(error, failures, ?pause, "the queue's worker ended; it is restarted");
            health.change(|h| {
                h.restarts += 1;
                h.consecutive_failures = failures;
                h.last_error = Some(error);
            });
            self.desk.shared.database.renew();
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.shutdown.cancelled() => {}
            }
        }
        retiring.close();
        retiring.wait().await;
    }

    /// Runs a worker to its end and starts its retirement.
    async fn one_life(self: &Arc<Self>, retiring: &TaskTracker) -> End {
        let shared = &self.desk.shared;
        if let Err(error) = leases::quarantine(shared).await {
            return End::Failed(error.to_string());
        }
        let name = clock::fresh_worker_name();
        let running = TaskTracker::new();
        let intake = Intake::new(self.desk.clone(), name.clone(), running.clone(), self.permits.clone());
        self.crew.join(&name);
        let steady = async {
            tokio::time::sleep(STEADY).await;
            shared.health.change(|h| h.consecutive_failures = 0);
            std::future::pending().await
        };
        let end = tokio::select! {
            end = worker::live(shared, &name, intake, &self.shutdown) => end,
            end = steady => end,
        };
        running.close();
        let consumer = Arc::clone(self);
        retiring.spawn(async move { consumer.retire(&name, &running).await });
        end
    }

    /// Waits for the jobs of an ended worker, then returns its claimed but unstarted jobs to the queue.
    async fn retire(&self, name: &str, running: &TaskTracker) {
        running.wait().await;
        self.crew.leave(name);
        let mut failures = 0;
        while let Err(error) = self.desk.shared.database.forget_worker(name).await {
            // On failure its lease expires, and any worker recovers the rest.
            failures += 1;
            tracing::debug!(%error, failures, "cannot remove an ended worker yet");
            if failures == 5 || self.desk.abandon.is_cancelled() {
                return;
            }
            tokio::time::sleep(self.desk.shared.options.restart.pause(failures, clock::jitter())).await;
        }
    }

    /// Completes only if a job ignores even the cut, for example because it blocks its thread.
    async fn enforce_stop_bound(&self) {
        self.shutdown.cancelled().await;
        tokio::time::sleep(self.desk.shared.options.stop_bound).await;
        let cut = self.concurrency.saturating_sub(self.permits.available_permits());
        self.cut_jobs.store(cut, Ordering::Relaxed);
        if cut > 0 {
            tracing::warn!(cut, "jobs still running at the stop bound were aborted and returned to the queue");
        }
        self.desk.cut.cancel();
        tokio::time::sleep(LAST_WRITES).await;
        self.desk.abandon.cancel();
        tokio::time::sleep(LAST_WRITES).await;
    }
}
