//! Who is next: the order in which waiting jobs run, so that nobody's many jobs hold up another one's few.
//!
//! Each job has a turn, a number that is given to it when it is pushed, and those with the lowest turn that are due run first;
//! within a turn the oldest. A user's next job comes a turn after his last one that waits, and never before the turn that is
//! on now. So whoever has a million jobs waiting has one in each of the next million turns, and whoever pushes one meanwhile is
//! in the turn that is on: of many who have jobs waiting, each has the same share. (Start-time fair queueing, with jobs for
//! packets.) The turn that is on is the latest of those that run or could; if there is none, the first that waits
//! for its time.
//!
//! A job that failed takes a new turn behind the user's others, or a user whose jobs all fail would come before everybody. What
//! was pushed for later keeps the turn of its push, as it has waited for long.
//!
//! Turns are apalis's priorities, less than zero: both databases fetch by them, with their own statements and indices. Jobs of no
//! user share turns as if they were one user's.

/// The turn of a job whose user's last waiting job has the turn `last`, when `now` is on.
pub(crate) fn next(now: i64, last: Option<i64>) -> i64 {
    last.map_or(now, |last| now.max(last.saturating_add(1)))
}

/// As apalis takes priorities: it stores the same bits as a signed number.
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
