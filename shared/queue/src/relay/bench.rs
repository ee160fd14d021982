//! Vaults that failed and sit out for a growing while, so that they hold up nobody.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use kimberly_core::UserId;

use crate::clock;
use crate::options::Backoff;

/// How long a vault sits out after each failure.
const PAUSE: Backoff = Backoff::new(Duration::from_secs(5), Duration::from_mins(10));

/// Who sits out, and until when.
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

    /// A vault failed; says so in the log.
    pub(super) fn failed(&mut self, user: UserId, reason: &str) {
        let failures = self.0.get(&user).map_or(0, |seat| seat.failures).saturating_add(1);
        let pause = PAUSE.pause(failures, clock::jitter());
        tracing::warn!(reason, failures, ?pause, "the vault's outbox cannot be emptied now");
        self.0.insert(user, Seat { failures, until: Instant::now() + pause });
    }

    /// A vault is well.
    pub(super) fn well(&mut self, user: &UserId) {
        self.0.remove(user);
    }

    /// Forgets vaults that hold nothing any more.
    pub(super) fn keep_only(&mut self, marked: &[UserId]) {
        if !self.0.is_empty() {
            let marked: HashSet<&UserId> = marked.iter().collect();
            self.0.retain(|user, _| marked.contains(user));
        }
    }
}
