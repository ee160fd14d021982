//! Chooses which subjects get vectors when the cap does not allow all (K-6.2). Pure: the result does not depend on
//! the state of the index.

use std::cmp::Reverse;

use super::plan::{EligibleSubject, Worth};
use super::vector::VectorSubject;

/// Words beyond which a turn's value no longer grows, and words beyond which a text takes more than one vector.
const FULL: u32 = 60;
const ONE_VECTOR: u32 = 150;
/// Turns are ranked in steps of this many words.
const STEP: u32 = 10;

/// Texts skipped because they no longer fit before the search stops.
const MOST_MISFITS: usize = 64;

/// Sorts subjects in the order in which they get vectors: goals, memories marked to always have vectors, other active
/// memories, active turns of conversations, archived ones in the same order. Turns that say most for one vector come
/// first; then the best score, then the newest.
pub fn by_worth(subjects: &[EligibleSubject]) -> Vec<EligibleSubject> {
    let mut sorted = subjects.to_vec();
    sorted.sort_by(|a, b| {
        let class = |one: &EligibleSubject| match (one.subject, one.worth) {
            (VectorSubject::Goal(_), _) => (0, false, false, Reverse(0)),
            (_, Worth { always: true, .. }) => (1, false, false, Reverse(0)),
            (_, Worth { archived, turn: false, .. }) => (2, archived, false, Reverse(0)),
            (_, Worth { archived, words, .. }) => (2, archived, true, Reverse(says(words))),
        };
        class(a)
            .cmp(&class(b))
            .then(b.worth.score.total_cmp(&a.worth.score))
            .then(Reverse(a.subject).cmp(&Reverse(b.subject)))
    });
    sorted
}

/// Ranks how much a turn of this many words says for one vector: 0 for a greeting and for a text that takes several
/// vectors.
const fn says(words: u32) -> u32 {
    if words > ONE_VECTOR {
        0
    } else if words > FULL {
        FULL / STEP
    } else {
        words / STEP
    }
}

/// The rest of the cap while vectors are assigned in that order.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    left: u64,
    misfits: usize,
}

impl Room {
    /// Starts with the whole cap.
    pub const fn new(cap: u64) -> Self {
        Self { left: cap, misfits: 0 }
    }

    /// Takes this many vectors if there is room for all of them.
    pub const fn take(&mut self, vectors: u64) -> bool {
        let fits = vectors <= self.left;
        if fits {
            self.left -= vectors;
        } else {
            self.misfits += 1;
        }
        fits
    }

    /// Reports whether further subjects are not worth trying.
    pub const fn is_over(&self) -> bool {
        self.left == 0 || self.misfits >= MOST_MISFITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{GoalId, Seq};

    fn memory(seq: i64, score: f64, turn: bool, archived: bool) -> EligibleSubject {
        EligibleSubject {
            subject: VectorSubject::Memory(Seq(seq)),
            revision: 1,
            worth: Worth { always: false, archived, turn, score, words: 30 },
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
    fn what_is_marked_always_comes_before_what_is_not_by_score_alone() {
        let always = |seq, score, turn, archived| {
            let one = memory(seq, score, turn, archived);
            EligibleSubject { worth: Worth { always: true, ..one.worth }, ..one }
        };
        let goal = EligibleSubject {
            subject: VectorSubject::Goal(GoalId(uuid::Uuid::from_u128(7))),
            revision: 1,
            worth: Worth::default(),
        };
        let all = [memory(1, 0.9, false, false), always(2, 0.1, true, false), always(3, 0.3, false, true), goal];
        let order: Vec<VectorSubject> = by_worth(&all).iter().map(|one| one.subject).collect();
        let memories = [3, 2, 1].map(|seq| VectorSubject::Memory(Seq(seq)));
        assert_eq!((order[0], &order[1..]), (goal.subject, &memories[..]));
    }

    #[test]
    fn of_turns_those_that_say_most_for_one_vector_come_first() {
        let turn = |seq: i64, words: u32, score: f64| {
            let one = memory(seq, score, true, false);
            EligibleSubject { worth: Worth { words, ..one.worth }, ..one }
        };
        let all = [
            turn(1, 3, 0.9),
            turn(2, 25, 0.4),
            turn(3, 120, 0.1),
            turn(4, 60, 0.2),
            turn(5, 500, 0.8),
            turn(6, 29, 0.3),
        ];
        let order: Vec<VectorSubject> = by_worth(&all).iter().map(|one| one.subject).collect();
        assert_eq!(order, [4, 3, 2, 6, 1, 5].map(|seq| VectorSubject::Memory(Seq(seq))));
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
