//! Due times of a new user's first runs.

use kimberly_core::time::{Span, Timestamp};

/// Time from registration to the first scheduled run.
const FIRST_SCHEDULE: Span = Span::days(7);
/// Time from registration to the first rotation; lifetimes are precise to the hour only.
const FIRST_ROTATION: Span = Span::hours(1);

/// Returns when the first scheduled run of a user registered at `now` is due.
pub(crate) fn first_schedule(now: Timestamp) -> Timestamp {
    now.plus(FIRST_SCHEDULE)
}

/// Returns when the first rotation of a user registered at `now` is due.
pub(crate) fn first_rotation(now: Timestamp) -> Timestamp {
    now.plus(FIRST_ROTATION)
}
