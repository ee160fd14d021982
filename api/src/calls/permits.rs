//! Permits for running calls, and the wait for them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kimberly_runtime::Metrics;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::line::{Arrival, Bounds, Line, Refusal};
use super::user::{Key, Who};

/// The permits. Cheap to clone; clones share their state.
#[derive(Clone, Debug)]
pub(super) struct Permits(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    line: Mutex<Line<oneshot::Sender<Permit>>>,
    names: LineMetrics,
    metrics: Metrics,
}

/// The names of a queue's metrics.
#[derive(Debug)]
pub(super) struct LineMetrics {
    /// How long calls waited, in seconds.
    pub wait: &'static str,
    /// The number of waiting calls.
    pub waiting: &'static str,
}

/// A permit. Dropping it passes it to the next call in turn.
#[derive(Debug)]
pub(crate) struct Permit {
    shared: Arc<Shared>,
    user: Key,
    since: Instant,
}

impl Permits {
    pub(super) fn new(bounds: Bounds, names: LineMetrics, metrics: Metrics) -> Self {
        Self(Arc::new(Shared { line: Mutex::new(Line::new(bounds)), names, metrics }))
    }

    /// Acquires a permit, waiting at most as long as the queue allows and not longer than `deadline`.
    pub(super) async fn take(&self, who: Who, deadline: Option<Duration>) -> Result<Permit, Refusal> {
        self.enter(who, Some(deadline.unwrap_or(Duration::MAX))).await
    }

    /// Acquires a permit, waiting without a time limit.
    pub(super) async fn take_patiently(&self, who: Who) -> Result<Permit, Refusal> {
        self.enter(who, None).await
    }

    async fn enter(&self, who: Who, patience: Option<Duration>) -> Result<Permit, Refusal> {
        let (came, user) = (Instant::now(), who.user);
        let (teller, told) = oneshot::channel();
        let (arrival, pushed_out) = self.0.lock().arrive(who, patience, came, || teller);
        // Dropped outside of the lock, because this wakes tasks.
        drop(pushed_out);
        match arrival {
            Arrival::Works => {
                self.0.metrics.record_seconds(self.0.names.wait, 0.0);
                Ok(Permit { shared: Arc::clone(&self.0), user, since: came })
            }
            Arrival::Refused(refusal) => Err(refusal),
            Arrival::Waits(number) => {
                self.0.show_waiting();
                let waiting = Waiting { shared: &self.0, user, number };
                // An evicted call gets no answer: its sender was dropped.
                let told = told.await.map_err(|_| Refusal::Server);
                drop(waiting);
                self.0.metrics.record_seconds(self.0.names.wait, came.elapsed().as_secs_f64());
                told
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Line<oneshot::Sender<Permit>>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[expect(clippy::cast_precision_loss, reason = "a published metric is a double")]
    fn show_waiting(&self) {
        let waiting = self.lock().waiting();
        self.metrics.set(self.names.waiting, waiting as f64);
    }
}

/// A waiting call. It leaves the queue if its caller gives up.
struct Waiting<'a> {
    shared: &'a Shared,
    user: Key,
    number: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        // A call that has left the queue has a permit, which frees itself.
        self.shared.lock().leave(self.user, self.number);
        self.shared.show_waiting();
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let now = Instant::now();
        let next = self.shared.lock().depart(self.user, now.saturating_duration_since(self.since));
        let Some((user, teller)) = next else { return };
        let permit = Self { shared: Arc::clone(&self.shared), user, since: now };
        // If the waiting call has just given up, the permit comes back and is dropped, which passes it on.
        drop(teller.send(permit));
    }
}

#[cfg(test)]
mod tests;
