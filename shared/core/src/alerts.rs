//! Alerts for an operator (K-9.2), as pure rules: readings of the whole installation go in, active alerts come out.
//! Numbers only: no user, no text. The worker decides how often to check and whom to notify.

use serde::{Deserialize, Serialize};

use crate::memory::names;
use crate::time::{Span, Timestamp};

/// Action of the system audit entry for an alert that became active. Its subject is the alert's name, its count the
/// alert's number.
pub const RAISED: &str = "alert.raised";
/// Action of the system audit entry for an alert that ended.
pub const CLEARED: &str = "alert.cleared";
/// Action of the system audit entry in which an API process reports how many calls failed by the server's fault.
pub const FAILED: &str = "service.failed";

/// Fewest memories gone within an hour that count as a spike.
const SPIKE: u64 = 1_000;
/// A spike also exceeds this multiple of the usual hourly number.
const SPIKE_FACTOR: f64 = 10.0;
/// Weight of the latest reading in the moving average of the usual number.
const NEWS: f64 = 0.1;
/// Fewest failed calls between two readings that raise [`Alert::ServiceErrors`].
const FAILED_CALLS: u64 = 10;

/// A kind of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alert {
    /// Some users hold more than the allowed share of a tier's quota, although meditation makes room.
    QuotaOverThreshold,
    /// Many more memories than usual were deleted or erased.
    ManyGone,
    /// Calls failed by the server's fault, jobs were given up, or vaults could not be read.
    ServiceErrors,
    /// The model could not read some users' texts.
    EmbeddingFailures,
    /// A budget of vectors is spent, a user's or the server's.
    BudgetSpent,
}
names!(Alert {
    QuotaOverThreshold => "quota_over_threshold",
    ManyGone => "many_gone",
    ServiceErrors => "service_errors",
    EmbeddingFailures => "embedding_failures",
    BudgetSpent => "budget_spent",
});

impl Alert {
    /// Name of the metric that holds the alert's number; 0 while the alert is not active.
    pub const fn metric(self) -> &'static str {
        match self {
            Self::QuotaOverThreshold => "alerts.quota_over_threshold",
            Self::ManyGone => "alerts.many_gone",
            Self::ServiceErrors => "alerts.service_errors",
            Self::EmbeddingFailures => "alerts.embedding_failures",
            Self::BudgetSpent => "alerts.budget_spent",
        }
    }

    /// Returns a message with the number and what to do.
    pub fn text(self, count: u64) -> String {
        match self {
            Self::QuotaOverThreshold => {
                format!("{count} users hold more of a tier than alerts.quota_share allows: raise quotas or unprotect")
            }
            Self::ManyGone => {
                format!(
                    "{count} memories were archived or erased within an hour, far more than usual: see `kimberly \
                     audit list`"
                )
            }
            Self::ServiceErrors => format!("{count} calls, jobs or vaults failed: see the log and `kimberly doctor`"),
            Self::EmbeddingFailures => format!("texts of {count} users could not be embedded: see the embedder's log"),
            Self::BudgetSpent => format!("{count} embedding budgets are used up for today: see `[embedding]`"),
        }
    }
}

/// The values that one check of the installation found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// Time of the check.
    pub at: Timestamp,
    /// Users with at least one tier above the share of its quota.
    pub users_over_quota: u64,
    /// Memories ever deleted or erased, over all users.
    pub gone: u64,
    /// Calls that failed since the previous check.
    pub calls_failed: u64,
    /// Jobs that were given up and are still kept.
    pub jobs_dead: u64,
    /// Vaults that could not be read.
    pub vaults_failed: u64,
    /// Users with texts that the model could not read.
    pub users_unread: u64,
    /// Users whose vectors of the day are spent while they need more.
    pub users_spent: u64,
    /// Whether the server's vectors of the day are spent.
    pub server_spent: bool,
}

/// Remembers between checks how many memories usually go.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watch {
    before: Option<Readings>,
    /// Moving average of memories that go in an hour.
    usual: Option<f64>,
}

impl Watch {
    /// Returns the active alerts, each with its number.
    pub fn look(&mut self, now: Readings) -> Vec<(Alert, u64)> {
        let failed = if now.calls_failed >= FAILED_CALLS { now.calls_failed } else { 0 };
        let found = [
            (Alert::QuotaOverThreshold, now.users_over_quota),
            (Alert::ManyGone, self.spike(now)),
            (Alert::ServiceErrors, failed + now.jobs_dead + now.vaults_failed),
            (Alert::EmbeddingFailures, now.users_unread),
            (Alert::BudgetSpent, now.users_spent + u64::from(now.server_spent)),
        ];
        found.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    /// Returns the memories gone per hour if that is a spike, else 0. The first check has nothing to compare with and
    /// returns 0.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate of memories, which is never negative"
    )]
    fn spike(&mut self, now: Readings) -> u64 {
        let Some(before) = self.before.replace(now) else { return 0 };
        let hours = now.at.since(before.at).0.max(1) as f64 / Span::hours(1).0 as f64;
        let gone = now.gone.saturating_sub(before.gone);
        // A burst of a few minutes is not extrapolated to a whole hour.
        let in_an_hour = gone as f64 / hours.max(1.0);
        let usual = self.usual.unwrap_or(0.0);
        self.usual = Some(usual + NEWS * (gone as f64 / hours - usual));
        if in_an_hour >= SPIKE as f64 && in_an_hour > SPIKE_FACTOR * usual { in_an_hour as u64 } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Readings {
        Readings { at: Timestamp(0).plus(Span::seconds(60 * minutes)), ..Readings::default() }
    }

    #[test]
    fn a_quiet_installation_raises_nothing() {
        let mut watch = Watch::default();
        assert!((0..100).all(|n| watch.look(Readings { gone: 3, calls_failed: 2, ..at(5 * n) }).is_empty()));
    }

    #[test]
    fn each_reading_raises_its_alert_with_its_number() {
        for (readings, expected) in [
            (Readings { users_over_quota: 2, ..at(0) }, (Alert::QuotaOverThreshold, 2)),
            (Readings { calls_failed: 10, ..at(0) }, (Alert::ServiceErrors, 10)),
            (Readings { jobs_dead: 1, vaults_failed: 1, ..at(0) }, (Alert::ServiceErrors, 2)),
            (Readings { users_unread: 3, ..at(0) }, (Alert::EmbeddingFailures, 3)),
            (Readings { users_spent: 4, server_spent: true, ..at(0) }, (Alert::BudgetSpent, 5)),
        ] {
            assert_eq!(Watch::default().look(readings), [expected]);
        }
    }

    #[test]
    fn a_spike_is_many_more_than_usual_and_clears_when_it_is_over() {
        let mut watch = Watch::default();
        let mut gone = 1_000_000;
        assert_eq!(watch.look(Readings { gone, ..at(0) }), [], "nothing is known of the time before");
        for n in 1..=50 {
            gone += 20;
            assert_eq!(watch.look(Readings { gone, ..at(5 * n) }), [], "240 an hour are usual");
        }
        gone += 5_000;
        assert_eq!(watch.look(Readings { gone, ..at(255) }), [(Alert::ManyGone, 5_000)]);
        assert_eq!(watch.look(Readings { gone, ..at(260) }), []);
        let mut busy = Watch::default();
        let busy_ends: Vec<_> =
            (0..200_i64).map(|n| busy.look(Readings { gone: 2_000 * n.unsigned_abs(), ..at(60 * n) })).collect();
        assert!(busy_ends[100..].iter().all(Vec::is_empty), "2,000 an hour become usual");
    }

    #[test]
    fn every_alert_has_a_name_a_metric_and_a_short_text() {
        for alert in Alert::ALL {
            assert_eq!(alert.metric(), format!("alerts.{alert}"));
            assert!(alert.text(3).split(' ').count() <= 30 && alert.text(3).contains('3'));
        }
    }
}
