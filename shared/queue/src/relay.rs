//! Moves jobs from the outboxes of vaults into the queue.
//!
//! A job is pushed first and removed from its outbox afterwards: a crash in between only pushes it again, which the
//! queue ignores as a duplicate. The registry lists non-empty outboxes, so a relay needs no input; any number of
//! relays, in any process, may run concurrently.

mod bench;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::future::BoxFuture;
use kimberly_core::UserId;
use kimberly_core::error::Error;
use kimberly_core::ports::{Job, OutboxRow, Registry, Vaults};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use self::bench::Bench;
use crate::clock;
use crate::envelope::JobEnvelope;
use crate::error::QueueError;
use crate::job::MAX_ID_BYTES;
use crate::kinds::{ATTACHMENTS, COMPACT, EMBED, ERASE, EXTRACT, MEDITATE, SUMMARIZE};
use crate::options::Backoff;
use crate::queue::Queue;

/// Interval between rounds without a signal.
const INTERVAL: Duration = Duration::from_secs(5);
/// Vaults listed per query.
const PAGE: usize = 256;
/// Vaults processed concurrently, so that a slow one does not delay the others.
const AT_ONCE: usize = 4;
/// Jobs moved per transaction of a vault.
const BATCH: usize = 100;
/// Batches of one vault before other vaults get their turn.
const BATCHES: usize = 5;
/// Backoff after the queue or the registry failed.
const AFTER_FAILURE: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(30));

/// An error that stops a round for all vaults.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The registry cannot list non-empty outboxes.
    #[error("cannot read which outboxes hold jobs: {0}")]
    Registry(Error),
    /// The queue accepts no jobs.
    #[error(transparent)]
    Queue(QueueError),
}

/// Why one vault's outbox was not emptied.
enum Failed {
    /// An error of the vault.
    Vault(String),
    /// An error of the queue.
    Queue(QueueError),
}

/// The result for one vault.
struct Turn {
    /// Jobs that were new to the queue.
    new: usize,
    /// Whether its outbox is empty now.
    emptied: bool,
}

/// Moves jobs of all vaults.
pub struct Relay {
    vaults: Arc<dyn Vaults>,
    registry: Arc<dyn Registry>,
    queue: Queue,
    signal: Arc<Notify>,
    interval: Duration,
    bench: Bench,
}

impl Relay {
    /// A relay that runs whenever `signal` is notified, and every few seconds.
    pub fn new(vaults: Arc<dyn Vaults>, registry: Arc<dyn Registry>, queue: Queue, signal: Arc<Notify>) -> Self {
        Self { vaults, registry, queue, signal, interval: INTERVAL, bench: Bench::default() }
    }

    /// Sets the approximate interval between rounds without a signal.
    #[must_use]
    pub fn every(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Moves jobs until `shutdown` is cancelled, then stops at once; another relay continues.
    // Boxed: compiled here once, not in each crate that awaits it.
    pub fn run(mut self, shutdown: CancellationToken) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = self.rounds() => {}
            }
        })
    }

    /// Never returns; the caller drops it.
    async fn rounds(&mut self) {
        let mut failures = 0;
        loop {
            match self.round().await {
                Ok(_) => failures = 0,
                Err(error) => {
                    failures += 1;
                    tracing::warn!(%error, failures, "jobs stay in their outboxes for now");
                }
            }
            if failures > 0 {
                tokio::time::sleep(AFTER_FAILURE.pause(failures, clock::jitter())).await;
                continue;
            }
            let pause = self.interval.mul_f64(0.75 + 0.5 * clock::jitter());
            tokio::select! {
                () = self.signal.notified() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Empties the outboxes; returns how many jobs were new to the queue. A failing vault is logged and backs off; a
    /// vault with many jobs takes turns with the others.
    pub async fn round(&mut self) -> Result<usize, RelayError> {
        let (mut new, mut had_a_turn) = (0, HashSet::new());
        loop {
            let limit = PAGE + self.bench.len() + had_a_turn.len();
            let pending = self.registry.pending_outboxes(limit).await.map_err(RelayError::Registry)?;
            let complete = pending.len() < limit;
            let users: Vec<UserId> = pending.into_iter().map(|outbox| outbox.user).collect();
            if complete {
                self.bench.retain(&users);
            }
            let next = |user: &UserId| self.bench.may_play(user) && !had_a_turn.contains(user);
            let users: Vec<UserId> = users.into_iter().filter(next).collect();
            let none = users.is_empty();
            new += self.empty_all(users, &mut had_a_turn).await?;
            if had_a_turn.is_empty() && (complete || none) {
                return Ok(new);
            }
            if none {
                had_a_turn.clear();
            }
        }
    }

    /// Gives each vault a turn; records those that still hold jobs.
    async fn empty_all(&mut self, users: Vec<UserId>, not_empty: &mut HashSet<UserId>) -> Result<usize, RelayError> {
        let this = &*self;
        let ends: Vec<_> = futures::stream::iter(users)
            .map(|user| async move {
                let end = this.empty(&user).await;
                (user, end)
            })
            .buffer_unordered(AT_ONCE)
            .collect()
            .await;
        let (mut new, mut queue_failed) = (0, None);
        for (user, end) in ends {
            match end {
                Ok(turn) => {
                    new += turn.new;
                    self.bench.well(&user);
                    if !turn.emptied {
                        not_empty.insert(user);
                    }
                }
                Err(Failed::Vault(reason)) => self.bench.failed(user, &reason),
                Err(Failed::Queue(error)) => queue_failed = Some(error),
            }
        }
        queue_failed.map_or(Ok(new), |error| Err(RelayError::Queue(error)))
    }

    /// Moves jobs of one vault and removes it from the pending ones once none is left.
    async fn empty(&self, user: &UserId) -> Result<Turn, Failed> {
        let mut new = 0;
        for _ in 0..BATCHES {
            let rows = self.vaults.read(user, |reader| Box::pin(reader.outbox(BATCH))).await?;
            if !rows.is_empty() {
                let jobs: Vec<_> = rows.iter().map(|row| (envelope(user, row), due(&row.job))).collect();
                new += self.queue.push_batch(&jobs).await?;
                self.remove(user, &rows).await?;
            }
            if rows.len() < BATCH {
                self.registry.clear_pending_outbox(user).await?;
                return Ok(Turn { new, emptied: true });
            }
        }
        Ok(Turn { new, emptied: false })
    }

    async fn remove(&self, user: &UserId, rows: &[OutboxRow]) -> Result<(), Error> {
        let positions: Arc<[i64]> = rows.iter().map(|row| row.position).collect();
        let remove = self.vaults.transact(user, "outbox.relayed", move |tx| {
            let positions = Arc::clone(&positions);
            Box::pin(async move { tx.remove_outbox(&positions).await })
        });
        remove.await
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Vault(error.to_string())
    }
}

impl From<QueueError> for Failed {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::InvalidJob(field) => Self::Vault(format!("a job in the outbox has an invalid {field}")),
            other => Self::Queue(other),
        }
    }
}

/// Returns the earliest start of a job in Unix seconds. Delays count from now, since the job was written a moment ago.
fn due(job: &Job) -> u64 {
    match job {
        Job::Attachments { after_s: 0 } | Job::Extract { after_s: 0 } | Job::Summarize { after_s: 0, .. } => 0,
        Job::Attachments { after_s } | Job::Extract { after_s } | Job::Summarize { after_s, .. } => {
            u64::try_from(clock::unix_now()).unwrap_or_default().saturating_add(*after_s)
        }
        _ => 0,
    }
}

/// The envelope of an outbox row. Drops an invalid trace context rather than the job.
fn envelope(user: &UserId, row: &OutboxRow) -> JobEnvelope {
    let (user, job_id) = (user.as_str(), row.job_id.to_string());
    let mut job = match &row.job {
        Job::Meditate { meditation_id } => MEDITATE.job(user, &meditation_id.to_string(), &job_id),
        Job::Embed => EMBED.job(user, "", &job_id),
        Job::Erase => ERASE.job(user, "", &job_id),
        Job::Extract { .. } => EXTRACT.job(user, "", &job_id),
        Job::Compact { turn_id } => COMPACT.job(user, &turn_id.to_string(), &job_id),
        Job::Summarize { summary_id, .. } => SUMMARIZE.job(user, &summary_id.to_string(), &job_id),
        Job::Attachments { .. } => ATTACHMENTS.job(user, "", &job_id),
    };
    job.traceparent = row.traceparent.clone().filter(|trace| trace.len() <= MAX_ID_BYTES);
    job
}
