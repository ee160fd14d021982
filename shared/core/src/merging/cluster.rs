//! Finds records that say the same: pairs, and clusters of up to three.

use std::collections::{BTreeSet, HashMap};

use super::note::{MergeKey, Note};
use super::pair::{SHARED, share};

/// Most records that become one; further ones wait for the next time.
const MOST: usize = 3;
/// The number of latest records with the same word that a record is compared with.
const COMPARED: usize = 64;

/// Returns clusters of two or three records by index, each record in at most one, ordered by their first record. `near`
/// are pairs with near vectors.
pub fn clusters(notes: &[Note], near: &BTreeSet<(usize, usize)>) -> Vec<Vec<usize>> {
    let mut of: HashMap<usize, usize> = HashMap::new();
    let mut all: Vec<Vec<usize>> = Vec::new();
    for (older, newer) in pairs(notes, near) {
        match (of.get(&older).copied(), of.get(&newer).copied()) {
            (None, None) => {
                of.extend([(older, all.len()), (newer, all.len())]);
                all.push(vec![older, newer]);
            }
            (Some(at), None) => join(&mut all, &mut of, (at, newer), notes),
            (None, Some(at)) => join(&mut all, &mut of, (at, older), notes),
            (Some(_), Some(_)) => {}
        }
    }
    for cluster in &mut all {
        cluster.sort_unstable();
    }
    all.sort_unstable();
    all
}

/// Adds a record to a cluster that has room, if it contradicts none of its records.
fn join(all: &mut [Vec<usize>], of: &mut HashMap<usize, usize>, (at, one): (usize, usize), notes: &[Note]) {
    let Some(cluster) = all.get_mut(at) else { return };
    let can = |other: &usize| notes.get(one).zip(notes.get(*other)).is_some_and(|(one, other)| one.can_join(other));
    if cluster.len() < MOST && cluster.iter().all(can) {
        cluster.push(one);
        of.insert(one, at);
    }
}

/// Returns pairs that say the same, each once. Compares only records that share one of the rarest words of either,
/// since others cannot have enough in common.
fn pairs(notes: &[Note], near: &BTreeSet<(usize, usize)>) -> BTreeSet<(usize, usize)> {
    let mut holding: HashMap<(&MergeKey, &str), Vec<usize>> = HashMap::new();
    for (at, note) in notes.iter().enumerate() {
        for word in &note.text.content {
            holding.entry((note.merge_key(), word)).or_default().push(at);
        }
    }
    // Most candidates share too few words: numbers tell that in a fiftieth of the time that texts take.
    let numbers: HashMap<&str, usize> = holding.keys().enumerate().map(|(number, (_, word))| (*word, number)).collect();
    let numbered: Vec<Vec<usize>> = notes.iter().map(|note| numbers_of(note, &numbers)).collect();
    let mut found: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut compare = |one: usize, other: usize| {
        let pair = (one.min(other), one.max(other));
        let both = notes.get(pair.0).zip(notes.get(pair.1)).filter(|_| one != other && !found.contains(&pair));
        if both.is_some_and(|(older, newer)| older.says_the_same(newer, near.contains(&pair))) {
            found.insert(pair);
        }
    };
    for (at, note) in notes.iter().enumerate() {
        let mut rarest: Vec<&str> = note.text.content.iter().map(String::as_str).collect();
        rarest.sort_unstable_by_key(|word| (holding.get(&(note.merge_key(), *word)).map(Vec::len), *word));
        rarest.truncate(telling(rarest.len()));
        let mut others: BTreeSet<usize> = BTreeSet::new();
        for word in rarest {
            let holders = holding.get(&(note.merge_key(), word)).map(Vec::as_slice).unwrap_or_default();
            others.extend(holders.iter().rev().take(COMPARED));
        }
        for other in others {
            let (ours, theirs) = (&numbered[at], &numbered[other]);
            if share(common(ours, theirs), ours.len().min(theirs.len())) >= SHARED {
                compare(at, other);
            }
        }
    }
    for (one, other) in near {
        compare(*one, *other);
    }
    found
}

/// Returns the numbers of a text's words, sorted.
fn numbers_of(note: &Note, numbers: &HashMap<&str, usize>) -> Vec<usize> {
    let mut of: Vec<usize> = note.text.content.iter().filter_map(|word| numbers.get(word.as_str()).copied()).collect();
    of.sort_unstable();
    of
}

/// Returns how many numbers two sorted lists have in common.
fn common(ours: &[usize], theirs: &[usize]) -> usize {
    let (mut at, mut both) = (0, 0);
    for number in ours {
        while theirs.get(at).is_some_and(|other| other < number) {
            at += 1;
        }
        both += usize::from(theirs.get(at) == Some(number));
    }
    both
}

/// Returns how many of a text's rarest words must be looked up: a record that shares none of these cannot say the same.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a text has few words"
)]
fn telling(words: usize) -> usize {
    words - libm::ceil(words as f64 * SHARED) as usize + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MemoryId, Seq};
    use crate::memory::{Memory, MemoryDraft, RecordKind};
    use crate::time::{Span, Timestamp};

    const NOON: Timestamp = Timestamp(1_763_640_000_000_000);

    fn draft(content: &str) -> MemoryDraft {
        MemoryDraft { content: content.to_owned(), ..MemoryDraft::default() }
    }

    fn note(draft: MemoryDraft, at: Timestamp) -> Option<Note> {
        Note::of(&Memory::new(MemoryId(uuid::Uuid::nil()), Seq(1), draft, at))
    }

    fn found(texts: &[&str]) -> Vec<Vec<usize>> {
        let notes: Vec<Note> = texts.iter().filter_map(|text| note(draft(text), NOON)).collect();
        clusters(&notes, &BTreeSet::new())
    }

    #[test]
    fn at_most_three_become_one_and_each_is_in_one_cluster() {
        let texts = [
            "Ana lives in Porto near the river",
            "Bob lives in Rome near the river",
            "Ana lives in Porto near the old river",
            "Ana lives in Porto near the river Douro",
            "In Porto Ana lives near the river",
            "Ana sings in a choir of forty people",
        ];
        assert_eq!(found(&texts), [vec![0, 2, 3]]);
    }

    #[test]
    fn one_that_says_something_else_than_any_of_a_cluster_stays_out() {
        let texts = [
            "Ana has an old cat called Tom",
            "Ana has 2 old cats, one called Tom",
            "Ana has 3 old cats, one called Tom",
        ];
        let clusters = found(&texts);
        assert_eq!(clusters.len(), 1);
        assert!(!clusters.concat().contains(&1) || !clusters.concat().contains(&2), "{clusters:?}");
    }

    #[test]
    fn what_belongs_elsewhere_or_counts_from_another_day_is_not_compared() {
        let text = "Ana plays the cello in the orchestra of Basel";
        let one = || note(draft(text), NOON).expect("a note");
        assert_eq!(clusters(&[one(), one()], &BTreeSet::new()), [vec![0, 1]]);
        for other in [
            MemoryDraft { namespace: "work".to_owned(), ..draft(text) },
            MemoryDraft { kind: RecordKind::Fact, ..draft(text) },
            MemoryDraft { speaker: Some("Bob".to_owned()), ..draft(text) },
            MemoryDraft { valid_from: Some(NOON), ..draft(text) },
            MemoryDraft { consent: true, ..draft(text) },
            MemoryDraft { consent_id: Some(crate::ids::ConsentId(uuid::Uuid::nil())), ..draft(text) },
        ] {
            assert!(clusters(&[one(), note(other, NOON).expect("a note")], &BTreeSet::new()).is_empty());
        }
        let mut secret = draft(text);
        secret.metadata.sensitive = true;
        assert!(clusters(&[one(), note(secret, NOON).expect("a note")], &BTreeSet::new()).is_empty());
        let today = "Ana played the cello in Basel today";
        let on = |days| note(draft(today), NOON.minus(Span::days(days))).expect("a note");
        assert!(on(0).says_the_same(&on(0), false) && !on(0).says_the_same(&on(1), false));
    }

    #[test]
    fn what_is_named_lasts_or_is_long_stays_alone() {
        let text = "Ana plays the cello in the orchestra of Basel";
        for alone in [
            MemoryDraft { name: Some("notes/ana".to_owned()), ..draft(text) },
            MemoryDraft { protected: true, ..draft(text) },
            MemoryDraft { valid_to: Some(NOON), ..draft(text) },
            MemoryDraft { kind: RecordKind::Episode, ..draft(text) },
            draft(&"Ana plays the cello. ".repeat(200)),
            draft("and so on"),
        ] {
            assert!(note(alone.clone(), NOON).is_none(), "{alone:?}");
        }
    }
}
