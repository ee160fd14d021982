//! Model-based test: an index behaves like a map in memory, for any operations and reopenings.

use std::collections::BTreeMap;

use crate::{IndexWriter, Options};
use kimberly_core::UserId;
use kimberly_core::embedding::{StoredItem, VectorSubject};
use kimberly_core::ports::{IndexChange, VectorReader as _, VectorWriter as _};
use proptest::prelude::*;

use super::common::Data;
use crate::conformance::{cosine, goal, item, memory, model, vector};

const DIMENSION: u32 = 24;

#[derive(Clone, Debug)]
enum Step {
    Write { put: Vec<(u8, u8, u64)>, gone: Vec<u8>, unchanged: Vec<(u8, u64)>, in_sync_at: Option<u64> },
    Reopen,
    Activate,
    Compact,
    Drop,
}

fn step() -> impl Strategy<Value = Step> {
    let put = prop::collection::vec((0_u8..60, 1_u8..4, any::<u64>()), 0..25);
    let gone = prop::collection::vec(0_u8..60, 0..12);
    let unchanged = prop::collection::vec((0_u8..60, any::<u64>()), 0..5);
    prop_oneof![
        12 => (put, gone, unchanged, any::<Option<u64>>())
            .prop_map(|(put, gone, unchanged, in_sync_at)| Step::Write { put, gone, unchanged, in_sync_at }),
        3 => Just(Step::Reopen),
        2 => Just(Step::Activate),
        1 => Just(Step::Compact),
        1 => Just(Step::Drop),
    ]
}

/// Every seventh subject is a goal.
fn subject(number: u8) -> VectorSubject {
    if number.is_multiple_of(7) { goal(u128::from(number)) } else { memory(i64::from(number)) }
}

#[derive(Default)]
struct Naive {
    items: BTreeMap<VectorSubject, (u64, u64, Vec<Vec<f32>>)>,
    exists: bool,
    active: bool,
    in_sync_at: Option<u64>,
}

impl Naive {
    fn items(&self) -> Vec<StoredItem> {
        let stored =
            |(subject, (revision, fingerprint, vectors)): (&VectorSubject, &(u64, u64, Vec<Vec<f32>>))| StoredItem {
                subject: *subject,
                chunks: u16::try_from(vectors.len()).unwrap(),
                revision: *revision,
                fingerprint: *fingerprint,
            };
        self.items.iter().map(stored).collect()
    }

    /// The best cosine of each memory, by number.
    fn cosines(&self, query: &[f32]) -> BTreeMap<i64, f32> {
        let memories = self.items.iter().filter_map(|(subject, (_, _, vectors))| match subject {
            VectorSubject::Memory(seq) => Some((seq.0, vectors)),
            VectorSubject::Goal(_) => None,
        });
        memories.map(|(seq, vectors)| (seq, vectors.iter().map(|v| cosine(v, query)).fold(-1.0, f32::max))).collect()
    }

    /// The mean of all directions.
    fn centre(&self) -> Vec<f32> {
        let all: Vec<&Vec<f32>> = self.items.values().flat_map(|(_, _, vectors)| vectors).collect();
        let length = |vector: &[f32]| distance(vector, &[0.0; DIMENSION as usize]);
        let count: f32 = all.iter().map(|_| 1.0).sum();
        let mean = |n: usize| all.iter().map(|v| v[n] / length(v)).sum::<f32>() / count;
        (0..DIMENSION as usize).map(mean).collect()
    }
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
}

fn change(put: &[(u8, u8, u64)], gone: &[u8], unchanged: &[(u8, u64)], in_sync_at: Option<u64>) -> IndexChange {
    let vectors = |chunks: u8, seed: u64| (0..u64::from(chunks)).map(|i| vector(DIMENSION, seed ^ i)).collect();
    IndexChange {
        put: put.iter().map(|(number, chunks, seed)| item(subject(*number), *seed, vectors(*chunks, *seed))).collect(),
        gone: gone.iter().map(|number| subject(*number)).collect(),
        unchanged: unchanged.iter().map(|(number, revision)| (subject(*number), *revision)).collect(),
        in_sync_at,
    }
}

fn apply(naive: &mut Naive, change: &IndexChange) {
    naive.exists = true;
    for item in &change.put {
        naive.items.insert(item.subject, (item.revision, item.fingerprint, item.vectors.clone()));
    }
    for subject in &change.gone {
        naive.items.remove(subject);
    }
    for (subject, revision) in &change.unchanged {
        if let Some(item) = naive.items.get_mut(subject) {
            item.0 = *revision;
        }
    }
    naive.in_sync_at = change.in_sync_at.or(naive.in_sync_at);
}

fn check(index: &IndexWriter, user: &UserId, naive: &Naive, seed: u64) {
    let model = model(DIMENSION);
    assert_eq!(index.items(user, &model).unwrap(), naive.items());
    let state = index.state(user, &model).unwrap();
    assert_eq!(state.is_some(), naive.exists);
    assert_eq!(index.active(user).unwrap(), state.clone().filter(|_| naive.active));
    if let Some(state) = state {
        let vectors: usize = naive.items.values().map(|(_, _, vectors)| vectors.len()).sum();
        let expected = (naive.items.len() as u64, vectors as u64, naive.in_sync_at);
        assert_eq!((state.items, state.vectors, state.in_sync_at), expected);
    }
    let query = vector(DIMENSION, seed);
    let expected = naive.cosines(&query);
    let hits = index.nearest(user, &model, &query, usize::MAX).unwrap();
    assert_eq!(hits.len(), expected.len());
    assert!(hits.windows(2).all(|pair| pair[0].cosine >= pair[1].cosine));
    for hit in &hits {
        assert!((hit.cosine - expected[&hit.seq.0]).abs() < 0.02, "{hit:?} {}", expected[&hit.seq.0]);
    }
    for limit in [0, 1, 5] {
        let few = index.nearest(user, &model, &query, limit).unwrap();
        assert_eq!(few, hits[..limit.min(hits.len())]);
    }
    let centre = index.centre(user, &model).unwrap();
    assert_eq!(centre.is_some(), !naive.items.is_empty());
    assert!(centre.is_none_or(|centre| distance(&centre, &naive.centre()) < 0.02));
    let subjects: Vec<_> = (0..60).map(subject).collect();
    let known: Vec<bool> = subjects.iter().map(|s| naive.items.contains_key(s)).collect();
    assert_eq!(index.contains(user, &model, &subjects).unwrap(), known);
}

fn run(steps: &[Step], options: Options) {
    let data = Data::new();
    let (user, model) = (data.user("u"), model(DIMENSION));
    let mut index = IndexWriter::new(data.path(), options);
    let mut naive = Naive::default();
    for (number, step) in (0..).zip(steps) {
        match step {
            Step::Write { put, gone, unchanged, in_sync_at } => {
                let change = change(put, gone, unchanged, *in_sync_at);
                index.write(&user, &model, &change).unwrap();
                apply(&mut naive, &change);
            }
            Step::Reopen => {
                drop(index);
                index = IndexWriter::new(data.path(), options);
            }
            Step::Activate => {
                assert_eq!(index.activate(&user, &model).is_ok(), naive.exists);
                naive.active |= naive.exists;
            }
            Step::Compact => index.compact(&user, &model).unwrap(),
            Step::Drop => {
                index.drop_all(&user).unwrap();
                naive = Naive::default();
            }
        }
        check(&index, &user, &naive, number);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn an_index_holds_what_a_map_would_hold(steps in prop::collection::vec(step(), 1..20)) {
        run(&steps, Options::default());
    }

    /// With such a low threshold, indices gain and lose trees and directory.
    #[test]
    fn a_large_index_holds_what_a_map_would_hold(steps in prop::collection::vec(step(), 1..12)) {
        run(&steps, Options { switch_at: 30, ..Options::default() });
    }
}

#[test]
fn trees_find_almost_all_that_a_full_comparison_finds() {
    const ROWS: i64 = 9_000;
    const DIMENSION: u32 = 128;
    let data = Data::new();
    let (user, other, model) = (data.user("tree"), data.user("exact"), model(DIMENSION));
    let index = IndexWriter::new(data.path(), Options { switch_at: 5_000, ..Options::default() });
    let exact = data.reader();
    // Clusters, as real texts form them.
    let near = |seq: i64| {
        let (centre, own) =
            (vector(DIMENSION, seq.unsigned_abs() % 200), vector(DIMENSION, seq.unsigned_abs() + 1_000));
        centre.iter().zip(own).map(|(c, o)| c + 0.4 * o).collect::<Vec<_>>()
    };
    let change = IndexChange {
        put: (0..ROWS).map(|seq| item(memory(seq), 1, vec![near(seq)])).collect(),
        ..IndexChange::default()
    };
    index.write(&user, &model, &change).unwrap();
    IndexWriter::new(data.path(), Options::default()).write(&other, &model, &change).unwrap();
    let gone: Vec<_> = (0..ROWS).step_by(9).map(memory).collect();
    let removal = IndexChange { gone: gone.clone(), ..IndexChange::default() };
    index.write(&user, &model, &removal).unwrap();
    IndexWriter::new(data.path(), Options::default()).write(&other, &model, &removal).unwrap();

    let (mut found, mut all) = (0, 0);
    for query in (0..40).map(|i| near(i * 331 + 100_000)) {
        let right: Vec<_> = exact.nearest(&other, &model, &query, 10).unwrap().iter().map(|hit| hit.seq).collect();
        let hits = index.nearest(&user, &model, &query, 10).unwrap();
        assert_eq!(hits.len(), 10);
        assert!(hits.iter().all(|hit| hit.seq.0 % 9 != 0), "a removed memory was found");
        all += right.len();
        found += hits.iter().filter(|hit| right.contains(&hit.seq)).count();
    }
    assert!(found * 100 >= all * 95, "{found} of {all}");
    index.activate(&user, &model).unwrap();
    assert_eq!(index.contains(&user, &model, &[memory(9), memory(10), memory(ROWS)]).unwrap(), [false, true, false]);
}
