//! Decides when a session was compacted, and how many of its turns at a time.

/// A job that may have failed is requested again after this many more turns.
const ASKED_AGAIN_AFTER: usize = 5;

/// How many turns make a summary, and how many stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batches {
    /// Turns per summary.
    pub batch: usize,
    /// The newest turns, which stay as they are.
    pub keep: usize,
    /// The fewest turns, including those that stay, for which anything is done.
    pub at_least: usize,
    /// Whether a remainder that is too small for a separate summary joins the last batch.
    pub takes_rest: bool,
}

impl Batches {
    /// Compacting in the background: only whole batches.
    pub const fn whole(batch: usize, keep: usize) -> Self {
        Self { batch, keep, at_least: batch + keep, takes_rest: false }
    }

    /// Compacting at once: everything except the turns that stay, if there are at least `at_least`.
    pub const fn all(batch: usize, keep: usize, at_least: usize) -> Self {
        Self { batch, keep, at_least, takes_rest: true }
    }
}

/// Returns how many of the oldest uncompacted turns make the next summary; 0 for none.
pub fn next_batch(uncompacted: usize, by: Batches) -> usize {
    if uncompacted < by.at_least.max(1) {
        return 0;
    }
    let spare = uncompacted.saturating_sub(by.keep);
    let is_rest = by.takes_rest && spare > by.batch && spare - by.batch <= by.batch / 4;
    if is_rest { spare } else { spare.min(by.batch) }
}

/// Reports whether new turns, after `uncompacted` ones, make a summary due.
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
    fn batches_are_whole_and_the_retained_turns_stay() {
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
