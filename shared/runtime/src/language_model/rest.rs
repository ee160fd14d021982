//! A circuit breaker: after several consecutive failures it blocks calls for a minute, then lets one through as a
//! trial.

use kimberly_core::Timestamp;

/// Consecutive failures that open the circuit.
const FAILURES: u32 = 3;
const REST_MICROS: i64 = 60_000_000;

/// The breaker's state.
#[derive(Debug, Default)]
pub(super) struct Rest {
    failures: u32,
    until: Option<Timestamp>,
}

impl Rest {
    /// Whether calls are blocked. After the pause it lets one call through; if that fails, the pause starts again.
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

    /// Records whether a call was answered.
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
