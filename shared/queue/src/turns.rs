//! Fair scheduling: the order in which waiting jobs run, so that one user's many jobs do not delay another's few.
//!
//! Each job gets a turn, a number, when it is pushed. Of the jobs that are due, those with the lowest turn run first,
//! and within a turn the oldest. A user's next job gets the turn after their last waiting job, but never one before
//! the current turn. So a million waiting jobs of one user occupy the next million turns, and another user's new job
//! enters the current turn: users with waiting jobs have equal shares. (Start-time fair queueing, with jobs for
//! packets.) The current turn is the latest turn of jobs that are running or due; if there are none, that of the
//! first delayed job.
//!
//! A failed job gets a new turn behind the user's other jobs; otherwise a user whose jobs all fail would come first.
//! A delayed job keeps the turn of its push.
//!
//! Turns are stored as negative priorities of apalis: both databases order by them, with their own statements and
//! indices. Jobs without a user share turns as if they belonged to one.

/// The turn of a new job: `last` is the turn of its user's last waiting job, `now` the current turn.
pub(crate) fn next(now: i64, last: Option<i64>) -> i64 {
    last.map_or(now, |last| now.max(last.saturating_add(1)))
}

/// The priority for apalis, which stores the same bits as a signed number.
pub(crate) fn as_apalis(turn: i64) -> usize {
    usize::try_from(turn).unwrap_or(0).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_neither_before_the_one_that_is_on_nor_before_the_users_last() {
        assert_eq!((next(7, None), next(7, Some(3)), next(7, Some(7)), next(7, Some(90))), (7, 7, 8, 91));
    }

    #[test]
    fn apalis_stores_turns_as_priorities_below_zero() {
        for turn in [0, 1, 1_000_000] {
            assert_eq!(as_apalis(turn).cast_signed(), -isize::try_from(turn).unwrap());
        }
    }
}
