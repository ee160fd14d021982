//! Whether this process may take jobs from workers that look dead: not while it was perhaps the database that was away.
//!
//! After an outage longer than a lease everybody looks dead, and whoever is back first would take the jobs of all the others,
//! though they live: each of these counts as a run, and a few outages would make a sound job a dead letter. So whoever was
//! away only renews its own leases for as long as one lasts. In that time all who live come back.

use std::time::Duration;

/// How long others may take from one renewal to the next, and how long a round of the keeper may take.
const BETWEEN_RENEWALS: Duration = Duration::from_secs(1);

/// How this process stands with the database, in times since 1970: those of a clock that goes on while the machine sleeps.
#[derive(Debug)]
pub(crate) struct Contact {
    lease: Duration,
    /// When a renewal came through last; at first, since when one is tried.
    last: Duration,
    /// Whether one failed since then.
    failed: bool,
    /// When the first one came through after the database or this process had been away.
    back: Option<Duration>,
}

impl Contact {
    /// Of a process that has just started, which may recover if its first renewal comes through soon.
    pub(crate) fn new(lease: Duration, now: Duration) -> Self {
        Self { lease, last: now, failed: false, back: None }
    }

    /// Whether jobs of others may be recovered now.
    pub(crate) fn may_recover(&self, now: Duration) -> bool {
        !self.failed && !self.was_silent(now) && !self.waits_for_others(now)
    }

    /// A renewal came through.
    pub(crate) fn renewed(&mut self, now: Duration) {
        if self.failed || self.was_silent(now) {
            self.back = Some(now);
        }
        self.failed = false;
        self.last = now;
    }

    /// A renewal failed. While others are waited for, one alone begins no further wait: else renewals that fail now and then
    /// would put recovery off for ever.
    pub(crate) fn failed(&mut self, now: Duration) {
        self.failed |= !self.waits_for_others(now);
    }

    /// Whether the last renewal was so long ago that leases of others may have run out. Half a lease: theirs may have been
    /// some time before ours.
    fn was_silent(&self, now: Duration) -> bool {
        now.saturating_sub(self.last) > (self.lease / 2).max(BETWEEN_RENEWALS)
    }

    /// Whether those who live may still be on their way back. A clock that was set back does not make it longer.
    fn waits_for_others(&self, now: Duration) -> bool {
        self.back.is_some_and(|back| (back..back.saturating_add(self.lease)).contains(&now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(4);

    /// So many milliseconds after the start of the process.
    fn at(ms: u64) -> Duration {
        Duration::from_hours(500_000) + Duration::from_millis(ms)
    }

    /// A process whose renewals came through until 10 s after its start.
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
