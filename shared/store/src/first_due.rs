//! When a new user's runs are due for the first time.

use kimberly_core::time::{Span, Timestamp};

/// From a user's registration to the first scheduled run.
const FIRST_SCHEDULE: Span = Span::days(7);
/// From a user's registration to the first look at what rotates: no lifetime is held more exactly than to the hour.
const FIRST_ROTATION: Span = Span::hours(1);

/// The first scheduled run of a user who is registered now.
pub(crate) fn first_schedule(now: Timestamp) -> Timestamp {
    now.plus(FIRST_SCHEDULE)
}

/// The first rotation of a user who is registered now.
pub(crate) fn first_rotation(now: Timestamp) -> Timestamp {
    now.plus(FIRST_ROTATION)
}
