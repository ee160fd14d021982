//! When a new user's runs are due for the first time.

use kimberly_core::time::{Span, Timestamp};

/// From a user's registration to the first scheduled run.
const FIRST_SCHEDULE: Span = Span::days(7);
/// Time of day, in UTC, of the first rotation.
const FIRST_ROTATION: Span = Span::hours(3);

/// The first scheduled run of a user who is registered now.
pub(crate) fn first_schedule(now: Timestamp) -> Timestamp {
    now.plus(FIRST_SCHEDULE)
}

/// The next 03:00 UTC, at least a microsecond away.
pub(crate) fn first_rotation(now: Timestamp) -> Timestamp {
    let day = Span::days(1).0;
    let today = Timestamp(now.day().saturating_mul(day)).plus(FIRST_ROTATION);
    if today > now { today } else { today.plus(Span::days(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rotation_is_at_the_next_three_o_clock() {
        let hour = Span::hours(1).0;
        let day = Span::days(1).0;
        assert_eq!(first_rotation(Timestamp(10 * day)), Timestamp(10 * day + 3 * hour));
        assert_eq!(first_rotation(Timestamp(10 * day + 3 * hour - 1)), Timestamp(10 * day + 3 * hour));
        assert_eq!(first_rotation(Timestamp(10 * day + 3 * hour)), Timestamp(11 * day + 3 * hour));
    }
}
