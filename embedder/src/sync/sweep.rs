//! Finds users without a job, so that no event is needed when embeddings are turned on, the model changes, an index
//! or the queue is lost, or the window opens.

use std::time::Duration;

use kimberly_core::UserId;
use kimberly_core::error::{Error, StorageFailure};
use kimberly_core::usecases::App;
use kimberly_core::usecases::embedding::VectorUpdater;
use kimberly_queue::{EMBED, Queue};
use tokio_util::sync::CancellationToken;

use super::mapped;
use super::turns::Turns;

/// Users per page.
const PAGE: usize = 100;

/// Sweeps over all users.
#[derive(Clone)]
pub struct Sweep {
    app: App,
    updater: VectorUpdater,
    queue: Queue,
    turns: Turns,
}

/// The result of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Users who got a job.
    pub users: usize,
    /// Bytes of all indices on disk.
    pub index_bytes: u64,
}

impl Sweep {
    /// Creates a sweep.
    pub const fn new(app: App, updater: VectorUpdater, queue: Queue, turns: Turns) -> Self {
        Self { app, updater, queue, turns }
    }

    /// Sweeps at the start, about every `interval`, and when the window opens, until `shutdown` is cancelled.
    pub async fn run(self, interval: Duration, shutdown: CancellationToken) {
        let rounds = async {
            let mut first = true;
            loop {
                match self.round(first).await {
                    Ok(found) => {
                        self.app.observer.vector_index(mapped::bytes(), found.index_bytes);
                        // Set only now: a failed round has not covered all users.
                        first = false;
                    }
                    Err(error) => tracing::warn!(%error, "cannot list users without vectors now"),
                }
                tokio::time::sleep(self.pause(interval)).await;
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = rounds => {}
        }
    }

    /// The pause before the next sweep.
    fn pause(&self, interval: Duration) -> Duration {
        let (now, window) = (self.app.clock.now(), self.app.defaults.embedding.window.0);
        let opens = window.next_opening(now).since(now).0;
        match u64::try_from(opens) {
            Ok(micros) if micros > 0 => interval.min(Duration::from_micros(micros)),
            _ => interval,
        }
    }

    /// Sweeps once. The first sweep also recreates jobs that should be queued, since they may be lost. A user whose
    /// vault fails is logged and skipped. Fails only if the registry or the queue does.
    pub async fn round(&self, first: bool) -> Result<Found, Error> {
        let (mut found, mut after): (Found, Option<UserId>) = (Found::default(), None);
        loop {
            let users = self.updater.registry.users(after.as_ref(), PAGE).await?;
            for user in &users {
                match self.look(user, first).await {
                    Ok((needs, bytes)) => {
                        found.index_bytes += bytes;
                        if needs {
                            self.push(user).await?;
                            found.users += 1;
                        }
                    }
                    Err(error) => tracing::warn!(%error, "cannot update the vectors of a user"),
                }
            }
            match users.last() {
                Some(last) if users.len() == PAGE => after = Some(last.clone()),
                _ => return Ok(found),
            }
        }
    }

    /// Whether the user needs a job, and the size of the index in bytes.
    async fn look(&self, user: &UserId, first: bool) -> Result<(bool, u64), Error> {
        let status = self.app.embedding_status(&*self.updater.registry, user).await?;
        let lost = first && status.ledger.waiting;
        // A user being synced looks outdated until the sync ends.
        let needs = !self.turns.is_taken(user) && (lost || self.app.needs_sync(&self.updater, user).await?);
        Ok((needs, status.index.map_or(0, |index| index.disk_bytes)))
    }

    async fn push(&self, user: &UserId) -> Result<(), Error> {
        let id = self.app.ids.new_id(self.app.clock.now());
        let pushed = self.queue.push(&EMBED.job(user.as_str(), "", &id.to_string())).await;
        pushed.map(drop).map_err(|error| Error::storage(StorageFailure::Unavailable, format!("queue: {error}")))
    }
}
