//! Which subjects have vectors where more are needed than the cap allows (K-6.2). Pure, and the same from any state of the
//! index.

use std::cmp::Reverse;

use super::plan::EligibleSubject;
use super::vector::VectorSubject;

/// Texts that are looked at and passed over because they do not fit any more, until it is given up.
const MOST_MISFITS: usize = 64;

/// In the order in which they get vectors: goals, active memories, turns of conversations after these, and what is archived
/// last; of each the best scored first, and of equals the newest.
pub fn by_worth(subjects: &[EligibleSubject]) -> Vec<EligibleSubject> {
    let mut sorted = subjects.to_vec();
    sorted.sort_by(|a, b| {
        let class = |one: &EligibleSubject| {
            (!matches!(one.subject, VectorSubject::Goal(_)), one.worth.archived, one.worth.turn)
        };
        class(a)
            .cmp(&class(b))
            .then(b.worth.score.total_cmp(&a.worth.score))
            .then(Reverse(a.subject).cmp(&Reverse(b.subject)))
    });
    sorted
}

/// What the cap leaves, as it is given out in that order.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    left: u64,
    misfits: usize,
}

impl Room {
    /// All of a cap.
    pub const fn new(cap: u64) -> Self {
        Self { left: cap, misfits: 0 }
    }

    /// Takes so many vectors if there is room for all of them.
    pub const fn take(&mut self, vectors: u64) -> bool {
        let fits = vectors <= self.left;
        if fits {
            self.left -= vectors;
        } else {
            self.misfits += 1;
        }
        fits
    }

    /// Whether it is not worth looking further.
    pub const fn is_over(&self) -> bool {
        self.left == 0 || self.misfits >= MOST_MISFITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::Worth;
    use crate::ids::{GoalId, Seq};

    fn memory(seq: i64, score: f64, turn: bool, archived: bool) -> EligibleSubject {
        EligibleSubject {
            subject: VectorSubject::Memory(Seq(seq)),
            revision: 1,
            worth: Worth { archived, turn, score },
        }
    }

    #[test]
    fn goals_come_first_then_the_best_scored_and_turns_and_the_archive_last() {
        let goal = VectorSubject::Goal(GoalId(uuid::Uuid::from_u128(7)));
        let all = [
            memory(1, 0.9, true, false),
            memory(2, 0.2, false, false),
            memory(3, 0.8, false, true),
            memory(4, 0.7, false, false),
            memory(5, 0.2, false, false),
            EligibleSubject { subject: goal, revision: 1, worth: Worth::default() },
        ];
        let order: Vec<VectorSubject> = by_worth(&all).iter().map(|one| one.subject).collect();
        let memories = [4, 5, 2, 1, 3].map(|seq| VectorSubject::Memory(Seq(seq)));
        assert_eq!((order[0], &order[1..]), (goal, &memories[..]));
    }

    #[test]
    fn the_cap_is_never_exceeded_and_what_does_not_fit_is_passed_over() {
        let mut room = Room::new(5);
        assert_eq!([3, 4, 2].map(|vectors| room.take(vectors)), [true, false, true]);
        assert!(room.is_over());
        let mut narrow = Room::new(1);
        assert!((0..MOST_MISFITS).all(|_| !narrow.is_over() && !narrow.take(2)) && narrow.is_over());
    }
}
