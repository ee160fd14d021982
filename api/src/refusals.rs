//! Records refused calls in the system's audit. They are counted by caller, call and user, and written every few
//! seconds, so that refused callers cannot fill the audit.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kimberly_core::audit::{Actor, AuditEntry};
use kimberly_core::ports::{Clock, SystemAudit};
use kimberly_core::{Timestamp, UserId};
use kimberly_runtime::Metrics;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::reads::action;

/// Maximum number of entries per minute. Further refusals are counted in one additional entry.
const MAX_PER_MINUTE: usize = 100;
const MINUTE: Duration = Duration::from_mins(1);
/// Interval between writes.
const EVERY: Duration = Duration::from_secs(5);
/// Maximum duration of the last write when the process stops.
const LAST: Duration = Duration::from_secs(1);
/// The actor recorded for a call without a valid credential.
const UNKNOWN: &str = "unknown";

/// Refusals that wait to be written to the audit.
pub struct Refusals {
    waiting: Mutex<Waiting>,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
}

#[derive(Debug)]
struct Waiting {
    told: HashMap<Refused, (u64, Timestamp)>,
    /// Number of refusals beyond the bound on entries.
    others: u64,
    /// When the current minute began, and its number of entries.
    minute: Instant,
    entries: usize,
}

/// A refusal: the caller, the call and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Refused {
    actor: Arc<str>,
    action: &'static str,
    why: &'static str,
    subject: Option<String>,
}

impl Refusals {
    /// Creates an empty collection.
    pub fn new(clock: Arc<dyn Clock>, metrics: Metrics) -> Self {
        Self { waiting: Mutex::new(Waiting::new(Instant::now())), clock, metrics }
    }

    /// Records a call of an unknown caller.
    pub(crate) fn unknown(&self) {
        let (actor, action, why) = (UNKNOWN.into(), "access.authenticate", "UNAUTHENTICATED");
        self.note(Refused { actor, action, why, subject: None });
    }

    /// Records a call that its caller may not make.
    pub(crate) fn denied(&self, actor: Arc<str>, rpc: &'static str, user: Option<&UserId>) {
        // Stored as a pseudonym, since the refused caller knows the user's id, and it must not remain after a purge.
        let subject = user.map(kimberly_core::audit::vault_log);
        self.note(Refused { actor, action: action(rpc), why: "PERMISSION_DENIED", subject });
    }

    fn note(&self, refused: Refused) {
        let at = self.clock.now();
        self.lock().add(refused, at, Instant::now());
    }

    /// Writes the collected refusals regularly until `stop`, then once more.
    pub async fn run(self: Arc<Self>, audit: Arc<dyn SystemAudit>, stop: CancellationToken) {
        while stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_some() {
            self.write(&*audit).await;
        }
        if tokio::time::timeout(LAST, self.write(&*audit)).await.is_err() {
            tracing::warn!("the last refusals were not written in time");
        }
    }

    async fn write(&self, audit: &dyn SystemAudit) {
        let entries = self.lock().take(self.clock.now());
        if entries.is_empty() {
            return;
        }
        let lost: u64 = entries.iter().map(|entry| entry.count).sum();
        if let Err(error) = audit.append(entries).await {
            self.metrics.add("audit.refusals_lost", lost);
            tracing::error!(lost, "refusals are not in the audit: {error}");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Refusals")
    }
}

impl Waiting {
    fn new(now: Instant) -> Self {
        Self { told: HashMap::new(), others: 0, minute: now, entries: 0 }
    }

    fn add(&mut self, refused: Refused, at: Timestamp, now: Instant) {
        if now.duration_since(self.minute) >= MINUTE {
            (self.minute, self.entries) = (now, 0);
        }
        if let Some((count, last)) = self.told.get_mut(&refused) {
            *count += 1;
            *last = at.max(*last);
        } else if self.entries < MAX_PER_MINUTE {
            self.entries += 1;
            self.told.insert(refused, (1, at));
        } else {
            self.others += 1;
        }
    }

    /// Takes the waiting entries, in the order of their times.
    fn take(&mut self, now: Timestamp) -> Vec<AuditEntry> {
        let told = std::mem::take(&mut self.told).into_iter().map(|(refused, (count, at))| AuditEntry {
            at,
            actor: Actor::Named(refused.actor),
            action: refused.action,
            refused: Some(refused.why),
            subject: refused.subject,
            count,
        });
        let mut entries: Vec<AuditEntry> = told.collect();
        entries.sort_by_key(|entry| entry.at);
        let others = std::mem::take(&mut self.others);
        if others > 0 {
            entries.push(AuditEntry {
                at: now,
                actor: Actor::Named(UNKNOWN.into()),
                action: "access.others",
                refused: Some("PERMISSION_DENIED"),
                subject: None,
                count: others,
            });
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(n: usize) -> Refused {
        Refused { actor: format!("key:{n}").into(), action: "x", why: "PERMISSION_DENIED", subject: None }
    }

    fn told(entries: &[AuditEntry]) -> Vec<(&str, u64, i64)> {
        entries.iter().map(|e| (e.actor.name(), e.count, e.at.0)).collect()
    }

    #[test]
    fn the_same_refusal_is_counted() {
        let now = Instant::now();
        let mut waiting = Waiting::new(now);
        for (n, at) in [(1, 5), (2, 7), (1, 9), (1, 8)] {
            waiting.add(refused(n), Timestamp(at), now);
        }
        assert_eq!(told(&waiting.take(Timestamp(10))), [("key:2", 1, 7), ("key:1", 3, 9)]);
        assert!(waiting.take(Timestamp(10)).is_empty());
    }

    #[test]
    fn what_is_beyond_a_hundred_in_a_minute_is_counted_in_one_entry() {
        let now = Instant::now();
        let mut waiting = Waiting::new(now);
        for n in 0..60 {
            waiting.add(refused(n), Timestamp(1), now);
        }
        assert_eq!(waiting.take(Timestamp(2)).len(), 60);
        for n in 60..200 {
            waiting.add(refused(n), Timestamp(3), now + MINUTE / 2);
        }
        waiting.add(refused(60), Timestamp(4), now + MINUTE / 2);
        let entries = waiting.take(Timestamp(9));
        assert_eq!(entries.len(), 41);
        assert_eq!(told(&entries).last(), Some(&("unknown", 100, 9)));
        assert!(told(&entries).contains(&("key:60", 2, 4)));
        waiting.add(refused(300), Timestamp(9), now + MINUTE);
        assert_eq!(told(&waiting.take(Timestamp(9))), [("key:300", 1, 9)]);
    }
}
