//! Several processes that write one user's vectors, and concurrent readers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kimberly_core::ports::{IndexChange, VectorReader as _, VectorTurns as _, VectorWriter as _};
use kimberly_index::conformance::{item, memories, memory, model, vector};
use kimberly_store::VectorOptions;
use kimberly_store::conformance::fixtures::{draft, new_memory};

use super::common::World;
use crate::postgres::common::{bed, number, run};

const DIMENSION: u32 = 16;

/// Of concurrent writes each is applied atomically, and the counts match the rows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_in_several_processes_lose_nothing_of_each_other() {
    let world = World::make().await;
    let other = world.database.store().await.vectors(VectorOptions::default()).await.unwrap();
    let (user, model) = (world.user("u").await, model(DIMENSION));
    std::thread::scope(|scope| {
        for (number, vectors) in (0_i64..).zip([&world.vectors, &other, &world.vectors]) {
            let (user, model) = (&user, &model);
            scope.spawn(move || {
                for round in 0..10 {
                    // Each writer puts its own memory and the same two shared ones, and removes its previous memory.
                    let own = 100 * (number + 1) + round;
                    let put = [0, 1, own].map(|seq| item(memory(seq), 1, vec![vector(DIMENSION, seq.cast_unsigned())]));
                    let change =
                        IndexChange { put: put.to_vec(), gone: vec![memory(own - 1)], ..IndexChange::default() };
                    vectors.write(user, model, &change).unwrap();
                }
            });
        }
    });
    let items = world.vectors.items(&user, &model).unwrap();
    let expected = [0, 1, 109, 209, 309].map(memory);
    assert_eq!(items.iter().map(|item| item.subject).collect::<Vec<_>>(), expected);
    let state = other.state(&user, &model).unwrap().unwrap();
    assert_eq!((state.items, state.vectors), (5, 5));
}

/// A reader sees one consistent index, whatever is written meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_see_every_change_whole() {
    let world = World::make().await;
    let reader = world.database.store().await.vectors(VectorOptions::default()).await.unwrap();
    let (user, model) = (world.user("u").await, model(DIMENSION));
    world.vectors.write(&user, &model, &memories(DIMENSION, 0..20)).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let hits = reader.nearest(&user, &model, &vector(DIMENSION, 1), usize::MAX).unwrap();
                let first = hits.iter().map(|hit| hit.seq.0).min().unwrap();
                assert_eq!((first % 20, hits.len()), (0, 20), "all of one round");
            }
        });
        for round in 1..15 {
            let before = (round - 1) * 20;
            let gone = (before..before + 20).map(memory).collect();
            let change = IndexChange { gone, ..memories(DIMENSION, round * 20..round * 20 + 20) };
            world.vectors.write(&user, &model, &change).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// Writers of a vault do not wait for writers of its vectors.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vault_is_written_while_its_vectors_are() {
    let world = World::make().await;
    let user = world.user("u").await;
    world.vectors.write(&user, &model(DIMENSION), &memories(DIMENSION, 0..2)).unwrap();
    let conn = &mut world.database.connect().await;
    run(conn, "BEGIN; SELECT 1 FROM kimberly.vaults WHERE user_id = 'u' FOR KEY SHARE").await;
    run(conn, "UPDATE kimberly.vector_indices SET items = items WHERE user_id = 'u'").await;
    bed(world.store.clone(), ()).insert("u", vec![new_memory(2, draft("beside"))]).await;
    run(conn, "ROLLBACK").await;
}

/// Only one process has a user's turn; other users' turns are independent; a turn ends with its connection, however
/// that ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_process_at_a_time_works_on_the_vectors_of_a_user() {
    let world = World::make().await;
    let other = world.database.store().await.vectors(VectorOptions::default()).await.unwrap();
    let (ada, bob) = (world.user("ada").await, world.user("bob").await);
    let turn = world.vectors.take(&ada).await.unwrap();
    drop(other.take(&bob).await.unwrap());
    let (again, of) = (other.clone(), ada.clone());
    let waiting = tokio::spawn(async move { again.take(&of).await.map(drop) });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!waiting.is_finished(), "another process has it");
    drop(turn);
    waiting.await.unwrap().unwrap();

    let cut = world.vectors.take(&ada).await.unwrap();
    let (again, of) = (other.clone(), ada.clone());
    let waiting = tokio::spawn(async move { again.take(&of).await.map(drop) });
    let terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = 'ExclusiveLock' \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    assert_eq!(number(&mut world.database.connect().await, terminate).await, 1);
    waiting.await.unwrap().unwrap();
    drop(cut);
}
