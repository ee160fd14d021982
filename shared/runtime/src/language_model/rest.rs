//! A circuit breaker: after several failures in a row the model is left alone for a minute; then one call tries again.

use kimberly_core::Timestamp;

/// Failures in a row after which the model rests.
const FAILURES: u32 = 3;
const REST_MICROS: i64 = 60_000_000;

/// What went wrong lately.
#[derive(Debug, Default)]
pub(super) struct Rest {
    failures: u32,
    until: Option<Timestamp>,
}

impl Rest {
    /// Whether it is left alone. Lets one call through when the time is over: if that fails, it rests once more.
    pub(super) fn rests(&mut self, now: Timestamp) -> bool {
        match self.until {
            Some(until) if now < until => true,
            Some(_) => {
                self.until = Some(Timestamp(now.0.saturating_add(REST_MICROS)));
                false
            }
            None => false,
        }
    }

    /// Notes how a call ended.
    pub(super) fn note(&mut self, answered: bool, now: Timestamp) {
        if answered {
            *self = Self::default();
            return;
        }
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FAILURES {
            self.until = Some(Timestamp(now.0.saturating_add(REST_MICROS)));
        }
    }
}
