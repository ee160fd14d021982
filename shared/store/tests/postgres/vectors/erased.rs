//! Vectors after a purge, their visibility, and searches for one user among many.

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::error::{Error, Result};
use kimberly_core::ports::{By, ErasesUsers, VectorReader as _, VectorWriter as _};
use kimberly_core::usecases::purge::{Elsewhere, run_purge};
use kimberly_core::{PurgeId, UserId};
use kimberly_index::conformance::{goal, item, memories, memory, model, vector};
use kimberly_store::PgVectors;
use kimberly_store::conformance::fixtures::START;
use uuid::Uuid;

use super::common::World;
use crate::postgres::common::{APP, Still, number, run, texts, try_run};

const ID: PurgeId = PurgeId(Uuid::from_u128(1));

struct Nothing;

#[async_trait]
impl ErasesUsers for Nothing {
    async fn erase(&self, _: &UserId) -> Result<()> {
        Ok(())
    }
}

/// Like the embedder.
struct Drops(PgVectors);

#[async_trait]
impl ErasesUsers for Drops {
    async fn erase(&self, user: &UserId) -> Result<()> {
        self.0.drop_all(user)
    }
}

/// Counts rows of all vector tables that name a user.
async fn rows(world: &World, who: &str) -> i64 {
    let conn = &mut world.database.connect().await;
    let mut held = 0;
    for table in ["vector_users", "vector_indices", "vectors"] {
        held += number(conn, &format!("SELECT count(*) FROM kimberly.{table} WHERE user_id = '{who}'")).await;
    }
    held
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_purge_leaves_no_vectors_with_and_without_an_embedder() {
    for embedder in [true, false] {
        let world = World::make().await;
        let (ada, bob, model) = (world.user("ada").await, world.user("bob").await, model(8));
        for user in [&ada, &bob] {
            let change = memories(8, 0..5);
            world.vectors.write(user, &model, &change).unwrap();
            world.vectors.activate(user, &model).unwrap();
        }
        assert_eq!((rows(&world, "ada").await, rows(&world, "bob").await), (7, 7));
        let purges = world.store.purges();
        purges.begin(ID, &ada, &By::new("key:ann", START)).await.unwrap();
        let late = world.vectors.write(&ada, &model, &memories(8, 5..6)).unwrap_err();
        assert!(matches!(late, Error::Purging), "{late}");
        let vectors: Arc<dyn ErasesUsers> =
            if embedder { Arc::new(Drops(world.vectors.clone())) } else { Arc::new(Nothing) };
        let elsewhere = Elsewhere { vectors, attachments: Arc::new(Nothing), jobs: Arc::new(Nothing) };
        run_purge(&*purges, &elsewhere, &Still, ID).await.unwrap();
        assert_eq!((rows(&world, "ada").await, rows(&world, "bob").await), (0, 7), "embedder: {embedder}");
        assert_eq!(world.vectors.active(&ada).unwrap(), None);
        assert!(world.vectors.write(&ada, &model, &memories(8, 0..1)).is_err(), "there is no vault any more");
        world.user("ada").await;
        assert_eq!(world.vectors.items(&ada, &model).unwrap(), [], "a vault that is made again begins without vectors");
        assert_eq!(world.vectors.active(&bob).unwrap().unwrap().vectors, 5);
    }
}

/// Removed and replaced vectors are in no row when the write returns.
#[tokio::test]
async fn no_row_holds_what_was_removed_or_replaced() {
    let world = World::make().await;
    let (user, model) = (world.user("u").await, model(8));
    world.vectors.write(&user, &model, &memories(8, 0..5)).unwrap();
    let change = kimberly_core::ports::IndexChange {
        put: vec![item(memory(1), 2, vec![vector(8, 70)]), item(goal(1), 1, vec![vector(8, 71)])],
        gone: vec![memory(2)],
        ..Default::default()
    };
    world.vectors.write(&user, &model, &change).unwrap();
    assert_eq!(number(&mut world.database.connect().await, "SELECT count(*) FROM kimberly.vectors").await, 5);
}

/// The processes' role sees and changes only one user's vectors at a time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vectors_of_others_are_out_of_sight() {
    let world = World::make().await;
    let (ada, bob) = (world.user("ada").await, world.user("bob").await);
    for user in [&ada, &bob] {
        world.vectors.write(user, &model(8), &memories(8, 0..5)).unwrap();
    }
    assert_eq!(world.vectors.items(&ada, &model(8)).unwrap().len(), 5);
    let conn = &mut world.database.connect_as(APP).await;
    run(conn, "SET search_path = kimberly, public").await;
    assert_eq!(number(conn, "SELECT count(*) FROM vectors").await, 0);
    run(conn, "BEGIN; SET LOCAL kimberly.user_id = 'ada'").await;
    for table in ["vectors", "vector_indices", "vector_users"] {
        assert_eq!(number(conn, &format!("SELECT count(*) FROM {table} WHERE user_id <> 'ada'")).await, 0, "{table}");
    }
    assert_eq!(try_run(conn, "DELETE FROM vectors").await.unwrap(), 5);
    assert!(try_run(conn, "INSERT INTO vector_users (user_id) VALUES ('bob')").await.is_err());
    run(conn, "ROLLBACK").await;
    assert!(try_run(conn, "CREATE INDEX ON vectors (chunk)").await.is_err(), "only the owner makes graphs");
}

/// 300 users with 100 vectors each.
const MANY: &str = "INSERT INTO kimberly.vectors (user_id, no, subject, chunk, revision, fingerprint, inverse_length, direction) \
     SELECT 'user ' || u, 1, '\\x00'::bytea || int8send(s), 0, 1, 1, 0.1, '[1,2,3,4,5,6,7,8]'::halfvec \
     FROM generate_series(1, 300) AS u (u), generate_series(1, 100) AS s (s); ANALYZE kimberly.vectors";

/// With row-level security.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_looks_at_the_vectors_of_its_user_alone() {
    let world = World::make().await;
    let user = world.user("user 7").await;
    world.vectors.write(&user, &model(8), &memories(8, 1_000..1_005)).unwrap();
    run(&mut world.database.connect().await, MANY).await;
    let conn = &mut world.database.connect_as(APP).await;
    run(conn, "SET search_path = kimberly, public; SET kimberly.user_id = 'user 7'").await;
    let search = |rest: &str| {
        format!(
            "EXPLAIN SELECT subject, ((-(direction <#> (SELECT '{{1,2,3,4,5,6,7,8}}'::real[]::halfvec)))::real * 0.1::real \
             * inverse_length)::double precision FROM vectors WHERE user_id = 'user 7' AND no = 1 {rest}"
        )
    };
    for rest in [
        "AND subject < '\\x01'::bytea",
        "AND subject < '\\x01'::bytea ORDER BY 2 DESC, subject, chunk LIMIT 10",
        "AND subject = ANY('{}'::bytea[]) AND chunk = 0",
    ] {
        let plan = texts(conn, &search(rest)).await.join("\n");
        assert!(plan.contains("vectors_pkey") && !plan.contains("Seq Scan on vectors"), "{plan}");
        assert!(plan.contains("Index Cond: ((user_id = 'user 7'::text COLLATE \"C\") AND (no = 1)"), "{plan}");
    }
    assert_eq!(world.vectors.nearest(&user, &model(8), &vector(8, 1), usize::MAX).unwrap().len(), 105);
}
