//! Touches (K-5.4) record that memories were recalled or read. They are collected in memory and written in batches, one
//! transaction per user, never during a request. A killed process loses unwritten touches, which is acceptable since a
//! touch is a statistic and not an acknowledged write. Reads for the audit are written along with them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kimberly_core::audit::AuditEntry;
use kimberly_core::ids::Seq;
use kimberly_core::ports::Touch;
use kimberly_core::usecases::App;
use kimberly_core::{Error, Timestamp, UserId};
use kimberly_runtime::Metrics;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::reads::Reads;

/// Maximum number of touched memories that wait to be written. Further touches are counted and dropped.
const MAX_WAITING: usize = 100_000;
/// The pause after a write, as a multiple of its duration. Writing touches thus takes at most a third of the time.
const PAUSE_FACTOR: u32 = 2;
/// Interval between writes of counted reads.
const COUNTED_EVERY: Duration = Duration::from_mins(1);
/// Maximum duration of the last flush when the process stops.
const LAST_FLUSH: Duration = Duration::from_secs(2);

/// Touches, and reads for the audit, that wait to be written.
#[derive(Debug)]
pub struct Touches {
    waiting: Mutex<Waiting>,
    pub(crate) reads: Reads,
    metrics: Metrics,
}

#[derive(Debug, Default)]
struct Waiting {
    users: HashMap<UserId, HashMap<Seq, (u64, Timestamp)>>,
    memories: usize,
}

impl Touches {
    /// Creates an empty collection.
    pub fn new(metrics: Metrics) -> Self {
        Self { waiting: Mutex::default(), reads: Reads::default(), metrics }
    }

    /// Records touches of a user's memories. Cheap, and never waits for a write.
    pub fn record(&self, user: &UserId, touches: &[Touch]) {
        if touches.is_empty() {
            return;
        }
        let dropped = self.lock().add(user, touches);
        if dropped > 0 {
            self.metrics.add("touches.dropped", dropped);
        }
    }

    /// Writes the collected touches and reads every `interval` until `stop`, or as soon as there is no room for more
    /// reads. Writes once more at the end. Also evicts stale graphs, since another process may have erased what they name.
    pub async fn run(self: Arc<Self>, app: App, interval: Duration, stop: CancellationToken) {
        let due = || async { tokio::time::timeout(interval, self.reads.full()).await.is_ok() };
        let mut counted_at = Instant::now();
        while let Some(full) = stop.run_until_cancelled(due()).await {
            let counted = full || counted_at.elapsed() >= COUNTED_EVERY;
            if counted {
                counted_at = Instant::now();
            }
            self.flush(&app, &stop, counted).await;
            app.graphs.forget_stale(&app.vaults, app.clock.now()).await;
        }
        if tokio::time::timeout(LAST_FLUSH, self.flush(&app, &stop, true)).await.is_err() {
            tracing::warn!("the last accesses of memories were not written in time");
        }
    }

    /// Writes what waits, one user after the other. Writes counted reads only with `counted`.
    async fn flush(&self, app: &App, stop: &CancellationToken, counted: bool) {
        let taken = std::mem::take(&mut *self.lock());
        let mut read = self.reads.take(counted);
        for (user, memories) in taken.users {
            let touches = memories.into_iter().map(|(seq, (times, at))| Touch { seq, times, at }).collect();
            let reads = read.remove(&user).unwrap_or_default();
            self.write(app, stop, (user, touches, reads)).await;
        }
        for (user, reads) in read {
            self.write(app, stop, (user, Vec::new(), reads)).await;
        }
    }

    async fn write(&self, app: &App, stop: &CancellationToken, what: (UserId, Vec<Touch>, Vec<AuditEntry>)) {
        let (started, (user, touches, reads)) = (Instant::now(), what);
        if let Err(error) = app.touch(&user, touches, reads.clone()).await {
            self.metrics.add("touches.failed", 1);
            tracing::warn!("accesses of memories were not written: {error}");
            self.retry_later(user, reads, &error);
        }
        stop.run_until_cancelled(tokio::time::sleep(started.elapsed() * PAUSE_FACTOR)).await;
    }

    /// Keeps reads that could not be written for a later attempt, if that may help.
    fn retry_later(&self, user: UserId, reads: Vec<AuditEntry>, error: &Error) {
        if matches!(error, Error::Storage { failure, .. } if failure.may_pass()) {
            return self.reads.put_back(user, reads);
        }
        let lost = reads.iter().map(|read| read.count).sum();
        self.metrics.add("audit.reads_lost", lost);
        tracing::error!(lost, "reads are missing from the audit of a vault that cannot be written");
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Adds touches. Returns how many were dropped.
    fn add(&mut self, user: &UserId, touches: &[Touch]) -> u64 {
        if !self.users.contains_key(user) {
            self.users.insert(user.clone(), HashMap::new());
        }
        let Some(of_user) = self.users.get_mut(user) else { return 0 };
        let mut dropped = 0;
        for touch in touches {
            match of_user.entry(touch.seq) {
                Entry::Occupied(mut known) => {
                    let (times, at) = known.get_mut();
                    *times += touch.times;
                    *at = touch.at.max(*at);
                }
                Entry::Vacant(free) if self.memories < MAX_WAITING => {
                    free.insert((touch.times, touch.at));
                    self.memories += 1;
                }
                Entry::Vacant(_) => dropped += touch.times,
            }
        }
        dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(seq: i64, at: i64) -> Touch {
        Touch { seq: Seq(seq), times: 1, at: Timestamp(at) }
    }

    #[test]
    fn touches_of_one_memory_are_joined() {
        let mut waiting = Waiting::default();
        let user = UserId::parse("ada").unwrap();
        assert_eq!(waiting.add(&user, &[touch(1, 5), touch(2, 5)]), 0);
        assert_eq!(waiting.add(&user, &[touch(1, 9), touch(1, 7)]), 0);
        assert_eq!(waiting.users[&user][&Seq(1)], (3, Timestamp(9)));
        assert_eq!(waiting.memories, 2);
    }

    #[test]
    fn touches_beyond_the_bound_are_dropped_and_counted() {
        let mut waiting = Waiting { memories: MAX_WAITING - 1, ..Waiting::default() };
        let user = UserId::parse("ada").unwrap();
        assert_eq!(waiting.add(&user, &[touch(1, 0), touch(2, 0), touch(1, 0)]), 1);
        assert_eq!(waiting.users[&user].len(), 1);
    }
}
