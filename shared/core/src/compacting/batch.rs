//! When a session is compacted, and how many of its turns at a time.

/// So many more turns ask again for what was asked for before, should that have failed.
const ASKED_AGAIN_AFTER: usize = 5;

/// How many turns make a summary, and how many stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batches {
    /// Turns of a summary.
    pub batch: usize,
    /// The newest turns, which are left as they are.
    pub keep: usize,
    /// Nothing is done for fewer turns than this, with those that stay.
    pub at_least: usize,
    /// Whether a rest that is too small for a summary of its own goes with the last batch.
    pub takes_rest: bool,
}

impl Batches {
    /// What is done in the background: a whole batch at a time.
    pub const fn whole(batch: usize, keep: usize) -> Self {
        Self { batch, keep, at_least: batch + keep, takes_rest: false }
    }

    /// What is done at once: all down to what stays, if there are at least so many.
    pub const fn all(batch: usize, keep: usize, at_least: usize) -> Self {
        Self { batch, keep, at_least, takes_rest: true }
    }
}

/// How many of the oldest turns that no summary covers make the next one; 0 for none.
pub fn next_batch(uncompacted: usize, by: Batches) -> usize {
    if uncompacted < by.at_least.max(1) {
        return 0;
    }
    let spare = uncompacted.saturating_sub(by.keep);
    let is_rest = by.takes_rest && spare > by.batch && spare - by.batch <= by.batch / 4;
    if is_rest { spare } else { spare.min(by.batch) }
}

/// Whether new turns behind some that no summary covers ask for one.
pub fn asks(uncompacted: usize, new: usize, position: i64, by: Batches) -> bool {
    let after = uncompacted + new;
    let again = || {
        let before = usize::try_from(position).unwrap_or_default();
        before / ASKED_AGAIN_AFTER != (before + new) / ASKED_AGAIN_AFTER
    };
    new > 0 && after >= by.at_least && (uncompacted < by.at_least || again())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_whole_and_what_is_kept_stays() {
        let whole = Batches::whole(20, 15);
        assert_eq!([0, 34, 35, 36, 70].map(|has| next_batch(has, whole)), [0, 0, 20, 20, 20]);
        let all = Batches::all(20, 0, 6);
        assert_eq!([5, 6, 20, 24, 25, 26, 60].map(|has| next_batch(has, all)), [0, 6, 20, 24, 25, 20, 20]);
        let now = Batches::all(20, 15, 16);
        assert_eq!([15, 16, 35, 40].map(|has| next_batch(has, now)), [0, 1, 20, 25]);
        assert_eq!(next_batch(6, Batches::all(5, 0, 6)), 6, "none is left over");
    }

    #[test]
    fn it_is_asked_for_when_turns_are_enough_and_now_and_then_again() {
        let by = Batches::whole(20, 15);
        assert!(!asks(33, 1, 33, by) && asks(34, 1, 34, by) && asks(0, 100, 0, by));
        let again: Vec<i64> = (35..46).filter(|position| asks(35, 1, *position, by)).collect();
        assert_eq!(again, [39, 44]);
        assert!(!asks(40, 0, 40, by));
    }
}
