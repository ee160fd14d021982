//! Runs all tasks of a worker concurrently.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use kimberly_core::ports::{Registry, SystemAudit};
use kimberly_core::usecases::App;
use kimberly_queue::{Queue, Relay};
use kimberly_runtime::{Failure, MainResult};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::checkpoints::Checkpoints;
use crate::handlers::handlers;
use crate::{Purger, Scheduler, housekeeping, storage};

/// Concurrency and intervals.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Concurrent jobs.
    pub concurrency: usize,
    /// Interval between searches for due users.
    pub schedule_interval: Duration,
    /// Interval between sweeps of outboxes.
    pub sweep_interval: Duration,
    /// How long finished jobs are stored.
    pub keep_finished: Duration,
}

/// A worker on one data folder or database.
pub struct Worker {
    /// The use cases.
    pub app: App,
    /// The registry of users.
    pub registry: Arc<dyn Registry>,
    /// The system's audit, in which vaults anchor their own audits.
    pub audit: Arc<dyn SystemAudit>,
    /// The writer of checkpoints, if enabled.
    pub checkpoints: Option<Checkpoints>,
    /// Executes purges.
    pub purger: Purger,
    /// The queue.
    pub queue: Queue,
    /// Notified when this process adds a job to an outbox.
    pub outbox_signal: Arc<Notify>,
    /// Concurrency and intervals.
    pub pace: Pace,
}

impl Worker {
    /// Runs until `shutdown` is cancelled. Then takes no new jobs, and lets running ones continue as long as the
    /// queue's options allow. Jobs that are cut off return to the queue, and another worker resumes them.
    ///
    /// Ends with an error if one of its tasks failed, so that the process can be restarted.
    // Boxed, so that it is compiled once here and not in each crate that awaits it.
    pub fn run(self, shutdown: CancellationToken) -> BoxFuture<'static, MainResult> {
        Box::pin(async move {
            let Self { app, registry, audit, checkpoints, purger, queue, outbox_signal, pace } = self;
            let mut parts = JoinSet::new();
            let relay = Relay::new(Arc::clone(&app.vaults), Arc::clone(&registry), queue.clone(), outbox_signal);
            parts.spawn(relay.every(pace.sweep_interval).run(shutdown.clone()));
            parts.spawn(
                Scheduler::new(app.clone(), Arc::clone(&registry)).run(pace.schedule_interval, shutdown.clone()),
            );
            parts.spawn(housekeeping::run(Arc::clone(&audit), queue.clone(), pace.keep_finished, shutdown.clone()));
            parts.spawn(storage::run(app.clone(), registry, shutdown.clone()));
            parts.spawn(purger.clone().sweep(pace.sweep_interval, shutdown.clone()));
            if let Some(checkpoints) = checkpoints {
                parts.spawn(checkpoints.run(shutdown.clone()));
            }
            let stop = shutdown.clone();
            parts.spawn(async move {
                let stopped = queue.run(Arc::new(handlers(&app, audit, purger)), pace.concurrency, stop).await;
                if stopped.cut > 0 {
                    tracing::warn!(jobs = stopped.cut, "aborted jobs at the stop bound; the next worker resumes them");
                }
            });
            while let Some(ended) = parts.join_next().await {
                if ended.is_err() || !shutdown.is_cancelled() {
                    return Err(broken());
                }
            }
            Ok(())
        })
    }
}

fn broken() -> Failure {
    Failure::new("a part of the worker failed", "start it again; nothing is lost, the log says why")
}
