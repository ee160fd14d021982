//! One user and one model: refusals, the vectors that cosines compare, and databases without vectors.

use std::collections::BTreeSet;
use std::sync::Arc;

use kimberly_core::error::{Error, StorageFailure};
use kimberly_core::ports::{IndexChange, VectorReader as _, VectorWriter as _};
use kimberly_index::conformance::{cosine, goal, item, memories, memory, model, vector};
use kimberly_store::conformance::fixtures::{draft, user};
use kimberly_store::{PgOptions, PgStore, VectorOptions};

use super::common::World;
use crate::postgres::common::{Database, OWNER, Still, bed, run};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_fit_the_model_is_refused_with_the_item_named() {
    let world = World::make().await;
    let (vectors, user, model) = (&world.vectors, world.user("u").await, model(8));
    let refused = |put| {
        let change = IndexChange { put, ..IndexChange::default() };
        let error = vectors.write(&user, &model, &change).unwrap_err();
        assert!(matches!(error, Error::Invalid(_)), "{error}");
        error.to_string()
    };
    let good = item(memory(1), 1, vec![vector(8, 1)]);
    assert!(refused(vec![good.clone(), item(memory(2), 1, vec![vector(7, 1)])]).contains("items[1].vectors"));
    assert!(refused(vec![item(memory(2), 1, vec![])]).contains("1 to 65535"));
    assert!(refused(vec![item(memory(2), 1, vec![vec![f32::NAN; 8]])]).contains("must be finite"));
    assert!(refused(vec![item(memory(-1), 1, vec![vector(8, 1)])]).contains("negative"));
    assert_eq!(vectors.state(&user, &model).unwrap(), None, "nothing was made");
    assert!(vectors.activate(&user, &model).is_err());
    assert!(vectors.nearest(&user, &model, &[1.0; 7], 1).is_err());
    assert!(vectors.nearest(&user, &model, &[0.0; 8], 1).is_err());
}

/// An index of the same model with another dimension never answers, and a writer gets an error.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_of_another_dimension_is_none_that_can_be_read() {
    let world = World::make().await;
    let (vectors, user) = (&world.vectors, world.user("u").await);
    vectors.write(&user, &model(8), &memories(8, 0..4)).unwrap();
    assert_eq!(vectors.nearest(&user, &model(9), &vector(9, 1), 1).unwrap(), []);
    assert_eq!(vectors.contains(&user, &model(9), &[memory(1)]).unwrap(), [false]);
    let error = vectors.items(&user, &model(9)).unwrap_err();
    assert!(matches!(error, Error::Storage { failure: StorageFailure::Corrupt, .. }), "{error}");
    vectors.drop_model(&user, &model(9)).unwrap();
    assert_eq!(vectors.items(&user, &model(9)).unwrap(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cosines_are_of_the_nearest_chunks_and_none_without_vectors() {
    let world = World::make().await;
    let (vectors, user, model) = (&world.vectors, world.user("u").await, model(64));
    let v = |seed| vector(64, seed);
    let goal = goal(1);
    let put =
        vec![item(memory(1), 1, vec![v(1), v(2)]), item(memory(2), 1, vec![v(3)]), item(goal, 1, vec![v(4), v(2)])];
    vectors.write(&user, &model, &IndexChange { put, ..IndexChange::default() }).unwrap();
    assert_eq!(vectors.cosines(&user, &[memory(1)], &[goal]).unwrap(), [[None]], "nothing answers yet");
    vectors.activate(&user, &model).unwrap();
    let found = vectors.cosines(&user, &[memory(1), memory(9), memory(2)], &[goal, memory(9)]).unwrap();
    assert_eq!((found[0][1], found[1][0], found[1][1], found[2][1]), (None, None, None, None));
    assert!((found[0][0].unwrap() - 1.0).abs() < 1e-6, "both hold the same chunk");
    let best = cosine(&v(3), &v(4)).max(cosine(&v(3), &v(2)));
    assert!((found[2][0].unwrap() - best).abs() < 0.01);
    // Goals are not memories.
    let hits = vectors.nearest(&user, &model, &v(4), usize::MAX).unwrap();
    assert_eq!(hits.iter().map(|hit| hit.seq.0).collect::<BTreeSet<_>>(), [1, 2].into());
    assert_eq!(hits.len(), 2, "each once");
    let hits = vectors.nearest(&user, &model, &v(2), 1).unwrap();
    assert_eq!((hits[0].seq.0, hits[0].chunk), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_made_for_a_user_without_a_vault() {
    let world = World::make().await;
    let (vectors, nobody) = (&world.vectors, user("nobody"));
    let error = vectors.write(&nobody, &model(8), &memories(8, 0..2)).unwrap_err();
    assert!(matches!(error, Error::Storage { failure: StorageFailure::Unavailable, .. }), "{error}");
    assert_eq!((vectors.active(&nobody).unwrap(), vectors.state(&nobody, &model(8)).unwrap()), (None, None));
    vectors.drop_all(&nobody).unwrap();
    vectors.deactivate(&nobody).unwrap();
    world.user("nobody").await;
    vectors.write(&nobody, &model(8), &memories(8, 0..2)).unwrap();
    assert_eq!(vectors.state(&nobody, &model(8)).unwrap().unwrap().vectors, 2);
}

/// A subject both put and removed is removed; of two puts the last one stays; all others are unchanged.
#[tokio::test]
async fn a_change_is_carried_out_in_its_order() {
    let world = World::make().await;
    let (vectors, user, model) = (&world.vectors, world.user("u").await, model(8));
    vectors.write(&user, &model, &memories(8, 0..3)).unwrap();
    let change = IndexChange {
        put: vec![
            item(memory(5), 2, vec![vector(8, 50)]),
            item(memory(1), 2, vec![vector(8, 51), vector(8, 52)]),
            item(memory(1), 3, vec![vector(8, 53)]),
        ],
        gone: vec![memory(5), memory(0), memory(77)],
        unchanged: vec![(memory(2), 9), (memory(1), 4), (memory(78), 1)],
        in_sync_at: Some(u64::MAX),
    };
    vectors.write(&user, &model, &change).unwrap();
    let items = vectors.items(&user, &model).unwrap();
    let told: Vec<_> = items.iter().map(|item| (item.subject, item.chunks, item.revision, item.fingerprint)).collect();
    assert_eq!(told, [(memory(1), 1, 4, 3 ^ 0xabcd), (memory(2), 1, 9, 1 ^ 0xabcd)]);
    let state = vectors.state(&user, &model).unwrap().unwrap();
    assert_eq!((state.items, state.vectors, state.in_sync_at), (2, 2, Some(u64::MAX)));
    assert!((vectors.nearest(&user, &model, &vector(8, 53), 1).unwrap()[0].cosine - 1.0).abs() < 1e-6);
}

/// Everything else works, and a request for vectors fails with instructions.
#[tokio::test]
async fn a_database_without_pgvector_serves_words_and_says_what_is_missing() {
    let database = Database::make_with(&format!("OWNER {OWNER}")).await;
    let open = || PgStore::open(PgOptions::new(database.url_as(OWNER)), Arc::new(Still));
    let store = open().await.unwrap();
    let why = store.lacks_for_vectors().unwrap().to_owned();
    assert!(why.contains("extension vector is missing") && why.contains("CREATE EXTENSION vector"), "{why}");
    let error = store.vectors(VectorOptions::default()).await.unwrap_err();
    assert!(matches!(error, Error::Storage { failure: StorageFailure::Unavailable, .. }), "{error}");
    bed(store, ()).remember("u", [draft("one walrus")]).await;
    // A superuser installs it.
    run(&mut database.connect().await, "CREATE EXTENSION vector SCHEMA public").await;
    let store = open().await.unwrap();
    assert_eq!(store.lacks_for_vectors(), None);
    let vectors = store.vectors(VectorOptions::default()).await.unwrap();
    vectors.write(&user("u"), &model(8), &memories(8, 0..2)).unwrap();
}
