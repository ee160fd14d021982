//! The only module that reads the system's clock.

use std::time::{SystemTime, UNIX_EPOCH};

use kimberly_core::Timestamp;
use kimberly_core::ports::Clock;

/// The system's clock, in UTC. It may jump when the operator sets it; the domain tolerates that.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl SystemClock {
    /// Seconds since the Unix epoch, for programs that show ages.
    pub fn unix_seconds(self) -> i64 {
        self.now().0.div_euclid(1_000_000)
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        #[expect(clippy::disallowed_methods, reason = "this is the clock that everybody else takes the time from")]
        let now = SystemTime::now();
        let micros = match now.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_micros()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_micros()).map_or(i64::MIN, |micros| -micros),
        };
        Timestamp(micros).clamp(Timestamp::MIN, Timestamp::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn now_is_after_this_was_written_and_does_not_stand_still() {
        let first = SystemClock.now();
        assert!(first > Timestamp(1_700_000_000_000_000));
        assert!((0..1_000_000).any(|_| SystemClock.now() > first));
    }
}
