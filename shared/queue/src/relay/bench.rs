//! Backoff for vaults that fail, so that they do not delay others.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use kimberly_core::UserId;

use crate::clock;
use crate::options::Backoff;

/// Backoff of a vault after each failure.
const PAUSE: Backoff = Backoff::new(Duration::from_secs(5), Duration::from_mins(10));

/// Vaults in backoff, and until when.
#[derive(Debug, Default)]
pub(super) struct Bench(HashMap<UserId, Seat>);

#[derive(Debug)]
struct Seat {
    failures: u32,
    until: Instant,
}

impl Bench {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a vault may be tried now.
    pub(super) fn may_play(&self, user: &UserId) -> bool {
        self.0.get(user).is_none_or(|seat| seat.until <= Instant::now())
    }

    /// Records and logs a failure.
    pub(super) fn failed(&mut self, user: UserId, reason: &str) {
        let failures = self.0.get(&user).map_or(0, |seat| seat.failures).saturating_add(1);
        let pause = PAUSE.pause(failures, clock::jitter());
        tracing::warn!(reason, failures, ?pause, "the vault's outbox cannot be relayed now");
        self.0.insert(user, Seat { failures, until: Instant::now() + pause });
    }

    /// Clears the backoff of a vault that succeeded.
    pub(super) fn well(&mut self, user: &UserId) {
        self.0.remove(user);
    }

    /// Forgets vaults whose outbox is empty.
    pub(super) fn retain(&mut self, pending: &[UserId]) {
        if !self.0.is_empty() {
            let pending: HashSet<&UserId> = pending.iter().collect();
            self.0.retain(|user, _| pending.contains(user));
        }
    }
}
