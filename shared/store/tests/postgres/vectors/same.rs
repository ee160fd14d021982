//! After any sequence of changes, vectors on Postgres and an index beside a vault in files give the same answers: hits
//! with bit-identical cosines, items, states.

use std::collections::BTreeMap;

use kimberly_core::UserId;
use kimberly_core::embedding::{ModelKey, VectorHit, VectorSubject};
use kimberly_core::ports::{IndexChange, IndexState, VectorWriter};
use kimberly_index::conformance::{goal, item, memories, memory, model, newer, vector};
use kimberly_index::{IndexWriter, Options};
use kimberly_store::PgVectors;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::common::World;

/// Number of random sequences, and their maximum length.
const SEQUENCES: u32 = 12;
const STEPS: usize = 14;

#[derive(Clone, Debug)]
enum Step {
    Write { newer: bool, put: Vec<(u8, u8, u64)>, gone: Vec<u8>, unchanged: Vec<(u8, u64)>, in_sync_at: Option<u64> },
    Activate(bool),
    Deactivate,
    DropModel(bool),
    DropOthers(bool),
    DropAll,
}

fn step() -> impl Strategy<Value = Step> {
    let put = prop::collection::vec((0_u8..60, 1_u8..4, any::<u64>()), 0..25);
    let gone = prop::collection::vec(0_u8..60, 0..12);
    let unchanged = prop::collection::vec((0_u8..60, any::<u64>()), 0..5);
    prop_oneof![
        12 => (any::<bool>(), put, gone, unchanged, any::<Option<u64>>())
            .prop_map(|(newer, put, gone, unchanged, in_sync_at)| Step::Write { newer, put, gone, unchanged, in_sync_at }),
        5 => any::<bool>().prop_map(Step::Activate),
        1 => Just(Step::Deactivate),
        1 => any::<bool>().prop_map(Step::DropModel),
        1 => any::<bool>().prop_map(Step::DropOthers),
        1 => Just(Step::DropAll),
    ]
}

fn key(is_newer: bool) -> ModelKey {
    if is_newer { newer() } else { model(24) }
}

/// Every seventh subject is a goal.
fn subject(number: u8) -> VectorSubject {
    if number.is_multiple_of(7) { goal(u128::from(number)) } else { memory(i64::from(number)) }
}

fn carry_out(index: &dyn VectorWriter, user: &UserId, step: &Step) -> Result<(), String> {
    let done = match step {
        Step::Write { newer, put, gone, unchanged, in_sync_at } => {
            let model = key(*newer);
            let vectors =
                |chunks: u8, seed: u64| (0..u64::from(chunks)).map(|i| vector(model.dimension(), seed ^ i)).collect();
            let put = put.iter().map(|(number, chunks, seed)| item(subject(*number), *seed, vectors(*chunks, *seed)));
            let change = IndexChange {
                put: put.collect(),
                gone: gone.iter().map(|number| subject(*number)).collect(),
                unchanged: unchanged.iter().map(|(number, revision)| (subject(*number), *revision)).collect(),
                in_sync_at: *in_sync_at,
            };
            index.write(user, &model, &change)
        }
        Step::Activate(newer) => index.activate(user, &key(*newer)),
        Step::Deactivate => index.deactivate(user),
        Step::DropModel(newer) => index.drop_model(user, &key(*newer)),
        Step::DropOthers(newer) => index.drop_others(user, &[key(*newer)]),
        Step::DropAll => index.drop_all(user),
    };
    done.map_err(|error| error.to_string())
}

/// A state without its size in bytes.
fn sized(state: Option<IndexState>) -> Option<IndexState> {
    state.map(|state| IndexState { disk_bytes: 0, ..state })
}

/// Sorts hits of equal cosine by number, because the order in files depends on history.
fn ordered(mut hits: Vec<VectorHit>) -> Vec<(u32, i64)> {
    assert!(hits.windows(2).all(|pair| pair[0].cosine >= pair[1].cosine));
    hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.seq.cmp(&b.seq)));
    hits.iter().map(|hit| (hit.cosine.to_bits(), hit.seq.0)).collect()
}

fn compare(on_postgres: &PgVectors, in_files: &IndexWriter, user: &UserId, seed: u64) {
    let both: [&dyn VectorWriter; 2] = [on_postgres, in_files];
    let [answering, expected] =
        both.map(|index| (sized(index.active(user).unwrap()), sized(index.building(user).unwrap())));
    assert_eq!(answering, expected);
    let subjects: Vec<_> = (0..60).map(subject).collect();
    for model in [key(false), key(true)] {
        let [state, expected] = both.map(|index| sized(index.state(user, &model).unwrap()));
        assert_eq!(state, expected);
        let [items, expected] = both.map(|index| index.items(user, &model).unwrap());
        assert_eq!(items, expected);
        let [held, expected] = both.map(|index| index.contains(user, &model, &subjects).unwrap());
        assert_eq!(held, expected);
        let [centre, expected] = both.map(|index| index.centre(user, &model).unwrap().unwrap_or_default());
        assert_eq!(centre.len(), expected.len());
        assert!(centre.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5), "{centre:?} {expected:?}");
        let query = vector(model.dimension(), seed);
        for limit in [usize::MAX, 0, 1, 5, 30] {
            let [hits, expected] = both.map(|index| index.nearest(user, &model, &query, limit).unwrap());
            let chunks = |hits: &[VectorHit]| hits.iter().map(|hit| (hit.seq, hit.chunk)).collect::<BTreeMap<_, _>>();
            let distinct = expected.windows(2).all(|pair| pair[0].cosine > pair[1].cosine);
            if distinct {
                assert_eq!(chunks(&hits), chunks(&expected), "the best chunk of each");
            }
            assert_eq!(ordered(hits), ordered(expected), "limit {limit}");
        }
    }
    let bits = |found: Vec<Vec<Option<f32>>>| -> Vec<Vec<_>> {
        found.into_iter().map(|row| row.into_iter().map(|cosine| cosine.map(f32::to_bits)).collect()).collect()
    };
    let (memories, goals) = (&subjects[..20], [subject(0), subject(7), subject(9)]);
    let [cosines, expected] = both.map(|index| bits(index.cosines(user, memories, &goals).unwrap()));
    assert_eq!(cosines, expected);
}

/// Random sequences of steps, the same in every run.
fn sequences() -> Vec<Vec<Step>> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let steps = prop::collection::vec(step(), 1..STEPS);
    (0..SEQUENCES).map(|_| steps.new_tree(&mut runner).unwrap().current()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_backends_say_the_same_whatever_is_done_to_them() {
    let world = World::make().await;
    let folder = tempfile::tempdir().unwrap();
    let in_files = IndexWriter::new(folder.path(), Options::default());
    for (number, steps) in sequences().into_iter().enumerate() {
        let user = world.user(&format!("user {number}")).await;
        let name = user.folder_name();
        std::fs::create_dir_all(folder.path().join("vaults").join(&name[..2]).join(&name)).unwrap();
        for (at, step) in (0..).zip(&steps) {
            let here = carry_out(&world.vectors, &user, step);
            assert_eq!(here, carry_out(&in_files, &user, step), "{step:?}");
            compare(&world.vectors, &in_files, &user, at);
        }
    }
}

/// Above 1,040 dimensions, products can exceed what a float holds exactly.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_dimensions_cosines_are_the_same_within_a_floats_rounding() {
    let world = World::make().await;
    let folder = tempfile::tempdir().unwrap();
    let in_files = IndexWriter::new(folder.path(), Options::default());
    let user = world.user("u").await;
    let name = user.folder_name();
    std::fs::create_dir_all(folder.path().join("vaults").join(&name[..2]).join(&name)).unwrap();
    for (dimension, within) in [(1_040, 0.0), (4_096, 1e-6)] {
        let model = ModelKey::new("wide", &format!("{dimension:016x}"), dimension).unwrap();
        let change = memories(dimension, 1..40);
        let query = vector(dimension, 5);
        let both: [&dyn VectorWriter; 2] = [&world.vectors, &in_files];
        let [here, there] = both.map(|index| {
            index.write(&user, &model, &change).unwrap();
            let hits = index.nearest(&user, &model, &query, usize::MAX).unwrap();
            hits.into_iter().map(|hit| (hit.seq.0, hit.cosine)).collect::<BTreeMap<_, _>>()
        });
        assert_eq!((here.len(), there.len()), (39, 39));
        for (seq, cosine) in here {
            assert!((cosine - there[&seq]).abs() <= within, "{dimension}: {cosine} {}", there[&seq]);
        }
    }
}
