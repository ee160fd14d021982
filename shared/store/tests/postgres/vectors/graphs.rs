//! Graphs of large indices: created in the background, used by searches, removed with their indices.

use kimberly_core::UserId;
use kimberly_core::embedding::{Quantized, VectorSubject};
use kimberly_core::ports::{IndexChange, VectorReader as _, VectorWriter as _};
use kimberly_index::conformance::{goal, item, memory, model, vector};
use kimberly_store::{PgOptions, PgStore, VectorOptions};
use std::sync::Arc;

use super::common::World;
use crate::postgres::common::{APP, Still, number, run, texts};

const ROWS: i64 = 2_500;
const DIMENSION: u32 = 32;
const GRAPHS: &str =
    "SELECT indexrelid::regclass::text FROM pg_index WHERE indexrelid::regclass::text LIKE '%vectors_graph_%'";

fn early() -> VectorOptions {
    VectorOptions { graph_from: 1_000, ..VectorOptions::default() }
}

/// Clustered vectors, like those of texts.
fn near(seq: i64) -> Vec<f32> {
    let (centre, own) = (vector(DIMENSION, seq.unsigned_abs() % 50), vector(DIMENSION, seq.unsigned_abs() + 1_000));
    centre.iter().zip(own).map(|(c, o)| c + 0.4 * o).collect()
}

fn change(seqs: impl Iterator<Item = i64>) -> IndexChange {
    let put = seqs.map(|seq| item(memory(seq), 1, vec![near(seq)])).collect();
    IndexChange { put, ..IndexChange::default() }
}

/// Returns the exact nearest neighbours by comparing all vectors, with the cosines of both backends.
fn right(held: impl Iterator<Item = i64>, query: &[f32]) -> Vec<i64> {
    let of = |vector: &[f32]| Quantized::of(vector).unwrap();
    let query = of(query);
    let dot = |a: &Quantized, b: &Quantized| -> i32 {
        a.components.iter().zip(&b.components).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
    };
    let mut all: Vec<(f32, i64)> = held
        .map(|seq| {
            let own = of(&near(seq));
            let cosine =
                kimberly_core::embedding::cosine_of(dot(&query, &own), query.inverse_length, own.inverse_length);
            (cosine, seq)
        })
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.into_iter().map(|(_, seq)| seq).take(10).collect()
}

/// Counts how many exact neighbours the search finds.
fn found(world: &World, user: &UserId, held: &[i64]) -> usize {
    let queries = (0..20).map(|i| near(i * 331 + 100_000));
    queries
        .map(|query| {
            let right = right(held.iter().copied(), &query);
            let hits = world.vectors.nearest(user, &model(DIMENSION), &query, 10).unwrap();
            assert_eq!(hits.len(), 10);
            assert!(hits.windows(2).all(|pair| pair[0].cosine >= pair[1].cosine));
            hits.iter().filter(|hit| right.contains(&hit.seq.0)).count()
        })
        .sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graph_finds_almost_all_that_a_full_comparison_finds() {
    let world = World::make_with(early()).await;
    let (large, small, model) = (world.user("large").await, world.user("small").await, model(DIMENSION));
    world.vectors.write(&small, &model, &change(0..900)).unwrap();
    world.vectors.write(&large, &model, &change(0..ROWS)).unwrap();
    let held: Vec<i64> = (0..ROWS).collect();
    assert_eq!(found(&world, &small, &held[..900]), 200, "all are compared");
    world.vectors.settle_graphs().await;
    let conn = &mut world.database.connect().await;
    assert_eq!(texts(conn, GRAPHS).await, ["kimberly.vectors_graph_1"]);
    assert_eq!(number(conn, "SELECT count(*) FROM kimberly.vector_graphs WHERE ready").await, 1);
    // Later additions and removals are respected.
    let gone: Vec<VectorSubject> = (0..ROWS).step_by(9).map(memory).collect();
    let more = IndexChange { gone, ..change(ROWS..ROWS + 300) };
    world.vectors.write(&large, &model, &more).unwrap();
    let goals = (0..3).map(|n| item(goal(n), 1, vec![near(100_000)])).collect();
    world.vectors.write(&large, &model, &IndexChange { put: goals, ..IndexChange::default() }).unwrap();
    let held: Vec<i64> = (0..ROWS + 300).filter(|seq| *seq >= ROWS || seq % 9 != 0).collect();
    let found = found(&world, &large, &held);
    assert!(found >= 190, "{found} of 200");
    let all = world.vectors.nearest(&large, &model, &near(1), usize::MAX).unwrap();
    assert_eq!(all.len(), held.len());
    let few = world.vectors.nearest(&large, &model, &near(1), 2_000).unwrap();
    assert_eq!(few.len(), 2_000);

    let plan = "EXPLAIN SELECT subject FROM vectors WHERE user_id = 'large' AND no = 1 AND graph = 1 ORDER BY \
         (direction::halfvec(32)) <=> (SELECT array_fill(1::real, ARRAY[32])::halfvec(32)) LIMIT 10";
    let app = &mut world.database.connect_as(APP).await;
    run(app, "SET search_path = kimberly, public; SET kimberly.user_id = 'large'; SET enable_sort = off").await;
    let plan = texts(app, plan).await.join("\n");
    assert!(plan.contains("Index Scan using vectors_graph_1"), "{plan}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn graphs_go_with_what_they_are_of_and_others_stay() {
    let world = World::make_with(early()).await;
    let (one, other, model) = (world.user("one").await, world.user("other").await, model(DIMENSION));
    for user in [&one, &other] {
        world.vectors.write(user, &model, &change(0..1_100)).unwrap();
    }
    world.vectors.settle_graphs().await;
    let conn = &mut world.database.connect().await;
    assert_eq!(texts(conn, GRAPHS).await.len(), 2);
    assert_eq!(number(conn, "SELECT count(DISTINCT graph) FROM kimberly.vectors").await, 2);
    world.vectors.drop_all(&one).unwrap();
    world.vectors.settle_graphs().await;
    assert_eq!(texts(conn, GRAPHS).await.len(), 1);
    assert_eq!(number(conn, "SELECT count(*) FROM kimberly.vector_graphs").await, 1);
    let held: Vec<i64> = (0..1_100).collect();
    assert!(found(&world, &other, &held) >= 190);
}

/// An interrupted graph is completed by the next write; until then all vectors are compared.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graph_that_was_not_made_whole_is_made_again() {
    let world = World::make_with(early()).await;
    let (user, model) = (world.user("u").await, model(DIMENSION));
    world.vectors.write(&user, &model, &change(0..1_100)).unwrap();
    world.vectors.settle_graphs().await;
    let conn = &mut world.database.connect().await;
    run(conn, "UPDATE kimberly.vector_graphs SET ready = false").await;
    run(conn, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'kimberly.vectors_graph_1'::regclass").await;
    let held: Vec<i64> = (0..1_100).collect();
    assert_eq!(found(&world, &user, &held), 200, "all are compared");
    world.vectors.write(&user, &model, &change(0..1)).unwrap();
    world.vectors.settle_graphs().await;
    assert_eq!(number(conn, "SELECT count(*) FROM kimberly.vector_graphs WHERE ready").await, 1);
    let valid = "SELECT count(*) FROM pg_index WHERE indexrelid = 'kimberly.vectors_graph_1'::regclass AND indisvalid";
    assert_eq!(number(conn, valid).await, 1);
}

/// A process without the owner's address creates no graph, but its searches are correct.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_an_owner_all_vectors_are_compared() {
    let world = World::make().await;
    let options = PgOptions::new(world.database.url_as(APP));
    let vectors = PgStore::open(options, Arc::new(Still)).await.unwrap().vectors(early()).await.unwrap();
    let world = World { vectors, ..world };
    let (user, model) = (world.user("u").await, model(DIMENSION));
    world.vectors.write(&user, &model, &change(0..1_100)).unwrap();
    world.vectors.settle_graphs().await;
    let held: Vec<i64> = (0..1_100).collect();
    assert_eq!(found(&world, &user, &held), 200);
    assert_eq!(texts(&mut world.database.connect().await, GRAPHS).await, [""; 0]);
}
