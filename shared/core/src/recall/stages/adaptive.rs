//! Drops results behind a cliff: those far weaker than the best, from where the strength falls sharply.
//!
//! Without this stage, an answer also lists weak results. Where strengths fall to a small share of
//! the best one's, and by a step, most results that follow are irrelevant. Calibrated on the development splits of
//! three styles of conversation: evidence is lost in fewer than 2 % of questions, while 3-14 % of the
//! irrelevant results are dropped.

use super::explain::FoundBy;
use super::explain::Ranked;

/// The first dropped result must be weaker than this share of the best.
const RATIO: f64 = 0.35;
/// It must also be weaker than this share of the one before it.
const STEP: f64 = 0.9;

/// Returns how many results, the best first, stand before the cliff. Matches of the active session always do. Nothing
/// is dropped if no result has a strength.
pub fn before_cliff<T>(best: &[(Ranked, T)]) -> usize {
    if best.iter().all(|(one, _)| one.parts.share <= 0.0) {
        return best.len();
    }
    let mut last = 1.0_f64;
    let of_session = |one: &Ranked| one.parts.found_by.holds(FoundBy::SESSION);
    for (index, (one, _)) in best.iter().enumerate().filter(|(_, (one, _))| !of_session(one)) {
        let share = last.min(one.parts.share);
        if index > 0 && share < RATIO && share < last * STEP {
            return index;
        }
        last = share;
    }
    best.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Seq;
    use crate::recall::Explanation;

    fn retained(shares: &[f64], by: FoundBy) -> usize {
        let ranked = |share: f64| {
            let parts = Explanation { share, found_by: by, ..Explanation::default() };
            (Ranked { seq: Seq(1), score: share, parts }, ())
        };
        before_cliff(&shares.iter().copied().map(ranked).collect::<Vec<_>>())
    }

    #[test]
    fn weak_results_behind_a_step_are_let_go() {
        assert_eq!(retained(&[1.0, 0.8, 0.3, 0.29], FoundBy::TERM), 2);
        assert_eq!(retained(&[1.0, 0.2], FoundBy::TERM), 1);
    }

    #[test]
    fn results_that_weaken_little_by_little_or_are_of_the_session_stay() {
        assert_eq!(retained(&[1.0, 0.8, 0.6, 0.5, 0.42, 0.39, 0.36, 0.34], FoundBy::TERM), 8);
        assert_eq!(retained(&[1.0, 0.2, 0.1], FoundBy::TERM.and(FoundBy::SESSION)), 3);
        assert_eq!(retained(&[0.0, 0.0], FoundBy::RECENT), 2);
        assert_eq!(retained(&[], FoundBy::TERM), 0);
    }
}
