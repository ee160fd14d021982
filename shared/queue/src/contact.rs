//! Decides whether this process may recover jobs of workers that look dead.
//!
//! After a database outage longer than a lease, every worker looks dead. If the first process to reconnect recovered
//! their jobs, each would count as a run, and a few outages would turn a good job into a dead letter. So after an
//! outage a process only renews its own leases for the time of one lease; live workers reconnect meanwhile.

use std::time::Duration;

/// Maximum time between two renewals of another process, and of one round of `leases`.
const BETWEEN_RENEWALS: Duration = Duration::from_secs(1);

/// The process's contact with the database. Times are since the Unix epoch, on a clock that runs while the machine
/// sleeps.
#[derive(Debug)]
pub(crate) struct Contact {
    lease: Duration,
    /// The last successful renewal; initially the start.
    last: Duration,
    /// Whether a renewal failed since then.
    failed: bool,
    /// The first success after an outage of the database or of this process.
    back: Option<Duration>,
}

impl Contact {
    /// The state of a new process, which may recover jobs if its first renewal succeeds soon.
    pub(crate) fn new(lease: Duration, now: Duration) -> Self {
        Self { lease, last: now, failed: false, back: None }
    }

    /// Whether jobs of other workers may be recovered now.
    pub(crate) fn may_recover(&self, now: Duration) -> bool {
        !self.failed && !self.was_silent(now) && !self.waits_for_others(now)
    }

    /// Records a successful renewal.
    pub(crate) fn renewed(&mut self, now: Duration) {
        if self.failed || self.was_silent(now) {
            self.back = Some(now);
        }
        self.failed = false;
        self.last = now;
    }

    /// Records a failed renewal. A failure during the wait does not restart it: otherwise occasional failures would
    /// postpone recovery forever.
    pub(crate) fn failed(&mut self, now: Duration) {
        self.failed |= !self.waits_for_others(now);
    }

    /// Whether the last renewal is so old that other leases may have expired. Half a lease, since theirs may have
    /// been renewed earlier than ours.
    fn was_silent(&self, now: Duration) -> bool {
        now.saturating_sub(self.last) > (self.lease / 2).max(BETWEEN_RENEWALS)
    }

    /// Whether live workers may still be reconnecting. Setting the clock back does not prolong the wait.
    fn waits_for_others(&self, now: Duration) -> bool {
        self.back.is_some_and(|back| (back..back.saturating_add(self.lease)).contains(&now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(4);

    /// The time `ms` milliseconds after the start of the process.
    fn at(ms: u64) -> Duration {
        Duration::from_hours(500_000) + Duration::from_millis(ms)
    }

    /// A process whose renewals succeeded until 10 s after its start.
    fn steady() -> Contact {
        let mut contact = Contact::new(LEASE, at(0));
        for ms in (0..=10_000).step_by(500) {
            assert!(contact.may_recover(at(ms)), "{ms}");
            contact.renewed(at(ms));
        }
        contact
    }

    #[test]
    fn who_starts_or_goes_on_recovers_at_once() {
        assert!(Contact::new(LEASE, at(0)).may_recover(at(0)));
        assert!(steady().may_recover(at(10_500)));
    }

    #[test]
    fn who_could_not_renew_waits_for_a_lease_from_the_first_renewal_that_comes_through() {
        let mut contact = steady();
        for ms in (10_500..20_000).step_by(500) {
            contact.failed(at(ms));
            assert!(!contact.may_recover(at(ms)), "{ms}");
        }
        for ms in (20_000..24_000).step_by(500) {
            assert!(!contact.may_recover(at(ms)), "{ms}");
            contact.renewed(at(ms));
        }
        assert!(contact.may_recover(at(24_000)));
    }

    #[test]
    fn a_renewal_that_comes_late_is_as_one_that_failed() {
        let mut contact = steady();
        assert!(contact.may_recover(at(12_000)) && !contact.may_recover(at(12_001)));
        contact.renewed(at(16_000));
        for ms in (16_000..20_000).step_by(500) {
            assert!(!contact.may_recover(at(ms)), "{ms}");
            contact.renewed(at(ms));
        }
        assert!(contact.may_recover(at(20_000)));
    }

    #[test]
    fn a_process_whose_first_renewal_fails_waits_too() {
        let mut contact = Contact::new(LEASE, at(0));
        contact.failed(at(0));
        contact.renewed(at(500));
        assert!(!contact.may_recover(at(1_000)));
    }

    #[test]
    fn renewals_that_fail_now_and_then_put_recovery_off_by_no_more_than_a_lease() {
        let mut contact = steady();
        let mut since = 10_000;
        for ms in (10_500..60_000).step_by(500) {
            if contact.may_recover(at(ms)) {
                since = ms;
            }
            assert!(ms - since <= 5_000, "nothing was recovered from {since} to {ms}");
            if ms % 2_000 == 0 {
                contact.failed(at(ms));
            } else {
                contact.renewed(at(ms));
            }
        }
    }

    #[test]
    fn a_clock_that_was_set_back_holds_nothing_up() {
        let mut contact = steady();
        contact.failed(at(10_500));
        contact.renewed(at(20_000));
        assert!(!contact.may_recover(at(20_500)) && contact.may_recover(at(5_000)));
    }
}
