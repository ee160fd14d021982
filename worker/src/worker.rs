//! All that a worker does, side by side.

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

/// How much a worker does at once, and how often.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Jobs run at once.
    pub concurrency: usize,
    /// How often users who are due are looked for.
    pub schedule_interval: Duration,
    /// How often outboxes are looked through.
    pub sweep_interval: Duration,
    /// How long finished jobs are kept.
    pub keep_finished: Duration,
}

/// A worker on one data folder or one database.
pub struct Worker {
    /// The use cases.
    pub app: App,
    /// The registry of users.
    pub registry: Arc<dyn Registry>,
    /// The audit of the system, where vaults tell how theirs stand.
    pub audit: Arc<dyn SystemAudit>,
    /// Who writes checkpoints of it, if anybody does.
    pub checkpoints: Option<Checkpoints>,
    /// Who purges users.
    pub purger: Purger,
    /// The queue.
    pub queue: Queue,
    /// Notified when this process put a job in an outbox.
    pub outbox_signal: Arc<Notify>,
    /// How much, how often.
    pub pace: Pace,
}

impl Worker {
    /// Works until `shutdown` is cancelled, then takes nothing new and lets running jobs go on as long as the queue's
    /// options allow. A job that is cut is given back, and resumed by the next worker.
    ///
    /// Ends with an error if one of its parts broke, so that the process can be started anew.
    // Boxed: compiled here once, and not by each crate that awaits it.
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
                    tracing::warn!(
                        jobs = stopped.cut,
                        "cut jobs at the stop bound; they are resumed by the next worker"
                    );
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
    Failure::new("a part of the worker broke off", "start it again; nothing is lost, the log says what broke")
}
