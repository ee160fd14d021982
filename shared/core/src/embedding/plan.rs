//! Computes the difference between an index and its vault. Pure, and the same for any state of the index, so that a
//! sync can be interrupted anywhere and needs no cursor.

use super::vector::{StoredItem, VectorSubject};

/// A subject that should have vectors, at a revision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EligibleSubject {
    /// The subject.
    pub subject: VectorSubject,
    /// Its revision in the vault.
    pub revision: u64,
    /// The basis of its priority when the cap does not allow all.
    pub worth: Worth,
}

/// The basis of a memory's priority for vectors; goals do not need it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worth {
    /// Whether it is marked to always have vectors.
    pub always: bool,
    /// Whether it is archived, and so rarely needed.
    pub archived: bool,
    /// Whether it is a turn of a conversation: it has a session and a speaker.
    pub turn: bool,
    /// Number of words in its text.
    pub words: u32,
    /// Its score.
    pub score: f64,
}

/// The difference between index and vault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// In the index, but must be removed.
    pub gone: Vec<VectorSubject>,
    /// In the index at another revision: their texts must be compared.
    pub moved: Vec<StoredItem>,
    /// Not in the index.
    pub new: Vec<VectorSubject>,
    /// Vectors of subjects that are up to date in the index.
    pub settled_vectors: u64,
}

impl Difference {
    /// Reports whether the index is up to date.
    pub const fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.moved.is_empty() && self.new.is_empty()
    }

    /// A lower bound of the vectors needed: each subject has one or more.
    pub const fn at_least(&self) -> u64 {
        self.settled_vectors + self.moved.len() as u64 + self.new.len() as u64
    }
}

/// Compares the two lists, both sorted by subject and unique.
pub fn difference(stored: &[StoredItem], eligible: &[EligibleSubject]) -> Difference {
    let mut difference = Difference::default();
    let (mut stored, mut eligible) = (stored.iter().peekable(), eligible.iter().peekable());
    loop {
        match (stored.peek(), eligible.peek()) {
            (None, None) => return difference,
            (Some(item), wanted) if wanted.is_none_or(|wanted| item.subject < wanted.subject) => {
                difference.gone.push(item.subject);
                stored.next();
            }
            (item, Some(wanted)) if item.is_none_or(|item| wanted.subject < item.subject) => {
                difference.new.push(wanted.subject);
                eligible.next();
            }
            (Some(item), Some(wanted)) if item.revision == wanted.revision => {
                difference.settled_vectors += u64::from(item.chunks);
                stored.next();
                eligible.next();
            }
            (Some(item), _) => {
                difference.moved.push(**item);
                stored.next();
                eligible.next();
            }
            (None, Some(_)) => {
                eligible.next();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::ids::{GoalId, Seq};

    fn subject(n: u8) -> VectorSubject {
        if n < 20 {
            VectorSubject::Memory(Seq(n.into()))
        } else {
            VectorSubject::Goal(GoalId(uuid::Uuid::from_u128(n.into())))
        }
    }

    fn stored(map: &BTreeMap<u8, (u64, u16)>) -> Vec<StoredItem> {
        let item = |(&n, &(revision, chunks)): (&u8, &(u64, u16))| StoredItem {
            subject: subject(n),
            chunks,
            revision,
            fingerprint: 0,
        };
        map.iter().map(item).collect()
    }

    fn eligible(map: &BTreeMap<u8, u64>) -> Vec<EligibleSubject> {
        map.iter()
            .map(|(&n, &revision)| EligibleSubject { subject: subject(n), revision, worth: Worth::default() })
            .collect()
    }

    proptest! {
        #[test]
        fn carrying_the_difference_out_makes_the_index_what_it_should_be(
            have in prop::collection::btree_map(0_u8..30, (1_u64..4, 1_u16..4), 0..20),
            want in prop::collection::btree_map(0_u8..30, 1_u64..4, 0..20),
        ) {
            let found = difference(&stored(&have), &eligible(&want));
            let mut after: BTreeMap<VectorSubject, u64> =
                have.iter().map(|(&n, &(revision, _))| (subject(n), revision)).collect();
            found.gone.iter().for_each(|gone| prop_assert_removed(&mut after, *gone));
            let revisions: BTreeMap<VectorSubject, u64> = want.iter().map(|(&n, &revision)| (subject(n), revision)).collect();
            for changed in found.moved.iter().map(|item| item.subject).chain(found.new.iter().copied()) {
                prop_assert!(after.insert(changed, revisions[&changed]) != Some(revisions[&changed]));
            }
            prop_assert_eq!(&after, &revisions);
            prop_assert_eq!(found.is_empty(), found.at_least() == found.settled_vectors && found.gone.is_empty());
            let again = have.iter().map(|(&n, &(revision, _))| (n, revision)).collect();
            prop_assert!(difference(&stored(&have), &eligible(&again)).is_empty());
        }
    }

    fn prop_assert_removed(after: &mut BTreeMap<VectorSubject, u64>, gone: VectorSubject) {
        assert!(after.remove(&gone).is_some(), "{gone:?} is not in the index");
    }
}
