//! Keeps every user's vectors in step with the vault: takes jobs from the embedder's queue, many users at once so that
//! they share the model's batches, and looks for users whom no job names.
//!
//! What is done to one user is decided in `kimberly-core`; here stand what runs it, how often, and what happens when it
//! fails. Nothing of this exists while embeddings are off.

mod handler;
mod mapped;
mod model;
mod sweep;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::usecases::App;
use kimberly_core::usecases::embedding::VectorKeeper;
use kimberly_queue::{EMBED, Handlers, Queue, QueueError, Retention};
use kimberly_runtime::{Failure, MainResult};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use handler::Embed;
pub use model::Documents;
pub use sweep::Sweep;
pub use turns::Turns;

/// How often the queue is tidied.
const TIDY: Duration = Duration::from_hours(1);
/// Users' jobs that are remembered after they ended; ids are made of what they are for, so that they must be forgotten.
const KEEP_FINISHED: Duration = Duration::from_mins(10);

/// How much is done at once, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Users worked on at once.
    pub concurrency: usize,
    /// How often users without a job are looked for.
    pub sweep_interval: Duration,
}

/// What keeps vectors of one data folder or one database.
pub struct Sync {
    /// The use cases.
    pub app: App,
    /// Indices, model, registry.
    pub keeper: VectorKeeper,
    /// The embedder's queue.
    pub queue: Queue,
    /// Who is worked on.
    pub turns: Turns,
    /// How much, how often.
    pub pace: Pace,
}

impl Sync {
    /// Works until `shutdown` is cancelled. Ends with an error if one of its parts broke, so that the process can be
    /// started anew.
    pub async fn run(self, shutdown: CancellationToken) -> MainResult {
        let Self { app, keeper, queue, turns, pace } = self;
        let mut parts = JoinSet::new();
        let sweep = Sweep::new(app.clone(), keeper.clone(), queue.clone(), turns.clone());
        parts.spawn(sweep.run(pace.sweep_interval, shutdown.clone()));
        parts.spawn(tidy(queue.clone(), shutdown.clone()));
        let stop = shutdown.clone();
        parts.spawn(async move {
            let handler = Arc::new(Handlers::default().on(&EMBED, Embed::new(app, keeper, queue.clone(), turns)));
            queue.run(handler, pace.concurrency, stop).await;
        });
        while let Some(ended) = parts.join_next().await {
            if ended.is_err() || !shutdown.is_cancelled() {
                return Err(Failure::new(
                    "a part of the embedder broke off",
                    "start it again; the log says what broke",
                ));
            }
        }
        Ok(())
    }
}

async fn tidy(queue: Queue, shutdown: CancellationToken) {
    loop {
        if let Err(error) = tidy_once(&queue).await {
            tracing::warn!(%error, "cannot tidy the queue now");
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(TIDY) => {}
        }
    }
}

async fn tidy_once(queue: &Queue) -> Result<(), QueueError> {
    queue.prune(&Retention { done: KEEP_FINISHED, ..Retention::default() }).await?;
    let dead = queue.stats().await?.dead;
    if dead > 0 {
        tracing::warn!(
            dead,
            "vectors of some users could not be made; their jobs are dead letters, recall goes on by words"
        );
    }
    Ok(())
}
