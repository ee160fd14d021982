//! Any process creates and migrates the schema while others work.

use std::sync::Arc;

use kimberly_core::error::Error;
use kimberly_store::PgStore;
use kimberly_store::conformance::fixtures::{draft, new_memory};
use kimberly_store::postgres::Migration;

use crate::postgres::common::{Database, Still, bed, number, run, texts, try_run};

/// Number of migrations of this build.
const OWN: i64 = 2;
/// An addition, which older builds can ignore.
const ADDS: Migration = Migration { sql: "ALTER TABLE memories ADD COLUMN later bigint", serves_from: OWN };
/// A change that older builds cannot work with.
const CHANGES: Migration =
    Migration { sql: "ALTER TABLE memories RENAME COLUMN words TO counted", serves_from: OWN + 1 };

async fn open_with(database: &Database, later: &[Migration]) -> Result<PgStore, Error> {
    let options = kimberly_store::PgOptions { later_migrations: later.to_vec(), ..database.options() };
    PgStore::open(options, Arc::new(Still)).await
}

/// Ten processes start concurrently on an empty database.
#[tokio::test]
async fn many_may_make_the_schema_at_once() {
    let database = Arc::new(Database::make().await);
    let opening: Vec<_> = (0..10)
        .map(|_| {
            let database = Arc::clone(&database);
            tokio::spawn(async move { open_with(&database, &[]).await.map(drop) })
        })
        .collect();
    for opened in opening {
        opened.await.unwrap().unwrap();
    }
    let conn = &mut database.connect().await;
    assert_eq!(number(conn, "SELECT count(*) FROM kimberly.schema_version").await, 1);
    assert_eq!(number(conn, "SELECT count(*) FROM kimberly.system_audit_log").await, 1);
    // The class of the lock is the first letters of "kimberly".
    let locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 1802071394 \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    assert_eq!(number(conn, locks).await, 0, "the lock is released");
}

/// A build that does not know the next migration works before, during and after it, and can be restarted afterwards.
#[tokio::test]
async fn builds_before_and_after_a_migration_work_side_by_side() {
    let database = Database::make().await;
    let before = bed(database.store().await, ());
    before.remember("u", [draft("before")]).await;
    let after = bed(open_with(&database, &[ADDS]).await.unwrap(), ());
    before.insert("u", vec![new_memory(2, draft("before, beside"))]).await;
    after.insert("u", vec![new_memory(3, draft("after"))]).await;
    let again = bed(database.store().await, ());
    for bed in [&before, &after, &again] {
        assert_eq!(bed.usage("u").await.created, 3);
    }
    let columns = "SELECT column_name::text FROM information_schema.columns \
         WHERE table_schema = 'kimberly' AND table_name = 'memories' AND column_name = 'later'";
    assert_eq!(texts(&mut database.connect().await, columns).await, ["later"]);
}

/// A schema that only a newer build can work with is refused by name, and left unchanged.
#[tokio::test]
async fn a_schema_that_is_too_new_is_refused() {
    let database = Database::make().await;
    drop(open_with(&database, &[CHANGES]).await.unwrap());
    let error = open_with(&database, &[]).await.unwrap_err().to_string();
    let told = format!("written by a newer build: its schema is {}", OWN + 1);
    assert!(error.contains(&told), "{error}");
    open_with(&database, &[CHANGES]).await.unwrap();
}

/// A failed migration leaves no trace, and a corrected build continues from there.
#[tokio::test]
async fn a_migration_is_made_whole_or_not_at_all() {
    let database = Database::make().await;
    let half = Migration { sql: "ALTER TABLE memories ADD COLUMN later bigint; SELECT 1 / 0", serves_from: OWN };
    let error = open_with(&database, &[half]).await.unwrap_err().to_string();
    assert!(error.contains("22012"), "{error}");
    let conn = &mut database.connect().await;
    assert_eq!(number(conn, "SELECT version FROM kimberly.schema_version").await, OWN);
    drop(open_with(&database, &[ADDS]).await.unwrap());
    assert_eq!(number(conn, "SELECT version FROM kimberly.schema_version").await, OWN + 1);
}

/// A process killed during a migration leaves no trace, and the next process runs it.
#[tokio::test]
async fn a_migration_that_is_cut_off_is_made_by_the_next() {
    let database = Arc::new(Database::make().await);
    drop(database.store().await);
    let long =
        Migration { sql: "ALTER TABLE memories ADD COLUMN later bigint; SELECT pg_sleep(600)", serves_from: OWN };
    let migrating = {
        let database = Arc::clone(&database);
        tokio::spawn(async move { open_with(&database, &[long]).await.map(drop) })
    };
    let conn = &mut database.connect().await;
    let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
         WHERE datname = current_database() AND wait_event = 'PgSleep'";
    while number(conn, cut).await == 0 {
        tokio::task::yield_now().await;
    }
    migrating.await.unwrap().unwrap_err();
    assert_eq!(number(conn, "SELECT version FROM kimberly.schema_version").await, OWN);
    assert!(try_run(conn, "SELECT later FROM kimberly.memories").await.is_err(), "its column is gone");
    drop(open_with(&database, &[ADDS]).await.unwrap());
    assert_eq!(number(conn, "SELECT version FROM kimberly.schema_version").await, OWN + 1);
}

/// A migration whose table is read for a long time waits only briefly at a time, so that others proceed in between.
#[tokio::test]
async fn writers_go_on_while_a_migration_waits_for_a_reader() {
    let database = Arc::new(Database::make().await);
    let working = bed(database.store().await, ());
    working.remember("u", [draft("one")]).await;
    let reader = &mut database.connect().await;
    run(reader, "BEGIN; SELECT count(*) FROM kimberly.memories").await;
    let migrating = {
        let database = Arc::clone(&database);
        tokio::spawn(async move { open_with(&database, &[ADDS]).await.map(drop) })
    };
    let conn = &mut database.connect().await;
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
         AND wait_event_type = 'Lock' AND query LIKE '%ADD COLUMN later%'";
    while number(conn, waits).await == 0 {
        tokio::task::yield_now().await;
    }
    for n in 2..6 {
        working.insert("u", vec![new_memory(n, draft("more"))]).await;
    }
    assert!(!migrating.is_finished(), "the reader is still there");
    assert_eq!(number(conn, "SELECT version FROM kimberly.schema_version").await, OWN);
    run(reader, "COMMIT").await;
    migrating.await.unwrap().unwrap();
    assert_eq!(working.usage("u").await.created, 5);
    assert!(try_run(conn, "SELECT later FROM kimberly.memories").await.is_ok());
}

/// A database of version 1 gets the declared tables that it lacks, each with its policy.
#[tokio::test]
async fn a_database_of_version_1_gets_the_tables_that_it_lacks() {
    let database = Database::make().await;
    bed(database.store().await, ()).remember("u", [draft("from before")]).await;
    let conn = &mut database.connect().await;
    let older = "DROP TABLE kimberly.struck, kimberly.forgotten, kimberly.vault_keys; \
         UPDATE kimberly.schema_version SET version = 1";
    run(conn, older).await;
    let after = bed(database.store().await, ());
    assert_eq!(after.usage("u").await.created, 1);
    let secured = "SELECT tablename::text FROM pg_policies WHERE schemaname = 'kimberly' \
         AND tablename IN ('struck', 'forgotten', 'vault_keys') ORDER BY 1";
    assert_eq!(texts(conn, secured).await, ["forgotten", "struck", "vault_keys"]);
    assert_eq!(number(conn, "SELECT version FROM kimberly.schema_version").await, OWN);
}
