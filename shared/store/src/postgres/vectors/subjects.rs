//! Encodes subjects of vectors as bytes in the order of subjects.

use kimberly_core::embedding::VectorSubject;
use kimberly_core::error::Result;
use kimberly_core::ids::{GoalId, Seq};
use uuid::Uuid;

use crate::postgres::errors;

const MEMORY: u8 = 0;
const GOAL: u8 = 1;
/// Upper bound of memories among subjects, as an SQL literal.
pub(super) const BEFORE_GOALS: &str = "'\\x01'::bytea";

/// Encodes a subject for storage. Memory numbers are never negative.
pub(super) fn encode(subject: &VectorSubject) -> Vec<u8> {
    match subject {
        VectorSubject::Memory(seq) => [&[MEMORY][..], &seq.0.to_be_bytes()].concat(),
        VectorSubject::Goal(id) => [&[GOAL][..], id.0.as_bytes()].concat(),
    }
}

/// Decodes the result of [`encode`].
pub(super) fn decode(bytes: &[u8]) -> Result<VectorSubject> {
    let subject = match bytes.split_first() {
        Some((&MEMORY, number)) => number.try_into().ok().map(|n| VectorSubject::Memory(Seq(i64::from_be_bytes(n)))),
        Some((&GOAL, id)) => Uuid::from_slice(id).ok().map(|id| VectorSubject::Goal(GoalId(id))),
        _ => None,
    };
    subject.ok_or_else(|| errors::corrupt("a vector has an invalid subject"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_in_the_order_of_subjects_and_read_back() {
        let memories = [0, 1, 255, 256, i64::MAX].map(|seq| VectorSubject::Memory(Seq(seq)));
        let goals = [0, 1, 256, u128::MAX].map(|id| VectorSubject::Goal(GoalId(Uuid::from_u128(id))));
        let all: Vec<VectorSubject> = memories.into_iter().chain(goals).collect();
        assert!(all.is_sorted());
        let bytes: Vec<Vec<u8>> = all.iter().map(encode).collect();
        assert!(bytes.is_sorted());
        assert_eq!(bytes.iter().map(|bytes| decode(bytes).unwrap()).collect::<Vec<_>>(), all);
        for wrong in [&[][..], &[0], &[1, 2], &[2; 9], &[0; 10]] {
            assert!(decode(wrong).is_err(), "{wrong:?}");
        }
    }
}
