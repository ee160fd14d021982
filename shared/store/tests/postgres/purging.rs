//! Purges on Postgres: what they leave, and how they are isolated.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kimberly_core::erasure::PurgeStep;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{By, Clock, ErasesUsers, Job, Purges};
use kimberly_core::usecases::purge::{Elsewhere, run_purge};
use kimberly_core::{PurgeId, UserId};
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{START, at, draft, run as run_of, run_id, user};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::postgres::common::{Database, Still, bed, number, texts};

struct Nothing;

#[async_trait]
impl ErasesUsers for Nothing {
    async fn erase(&self, _: &UserId) -> Result<()> {
        Ok(())
    }
}

fn id(n: u128) -> PurgeId {
    PurgeId(Uuid::from_u128(n))
}

fn by() -> By {
    By::new("key:ann", at(1))
}

pub(crate) async fn purge(purges: &dyn Purges, n: u128) -> kimberly_core::erasure::Purge {
    let (vectors, attachments, jobs) = (Arc::new(Nothing), Arc::new(Nothing), Arc::new(Nothing));
    run_purge(purges, &Elsewhere { vectors, attachments, jobs }, &Still, id(n)).await.unwrap()
}

fn is_overtaken(error: &Error) -> bool {
    matches!(error, Error::Storage { failure: StorageFailure::Unavailable, detail } if detail.contains("continued the purge"))
}

/// Writes a vault with some rows.
async fn with_rows(bed: &Bed, who: &str) {
    bed.remember(who, ["one walrus", "two walrus"].map(draft)).await;
    bed.write(who, |tx| {
        Box::pin(async move {
            tx.enqueue(Uuid::from_u128(7), &Job::Meditate { meditation_id: run_id(1) }, START, None).await?;
            tx.put_meditation(&run_of(1)).await
        })
    })
    .await;
}

/// After a purge no row of any table names the user; only the receipt has the pseudonym.
#[tokio::test]
async fn a_purge_leaves_nothing_in_any_table() {
    let database = Database::with_tables().await;
    let bed = bed(database.store().await, ());
    let who = "somebody-with-a-rare-name";
    with_rows(&bed, who).await;
    with_rows(&bed, "other").await;
    let conn = &mut database.connect().await;
    let tables = "SELECT relname::text FROM pg_class WHERE relnamespace = 'kimberly'::regnamespace AND relkind = 'r'";
    let mut held = 0;
    for table in texts(conn, tables).await {
        held += number(conn, &format!("SELECT count(*) FROM kimberly.{table} t WHERE t::text LIKE '%{who}%'")).await;
    }
    assert!(held > 6, "{held} rows are too few to prove anything");
    bed.purges.begin(id(1), &user(who), &by()).await.unwrap();
    let receipt = purge(&*bed.purges, 1).await;
    assert_eq!(receipt.erased.rows.get("memories"), Some(&2));
    assert_eq!(receipt.erased.rows.get("meditations"), Some(&1));
    for table in texts(conn, tables).await {
        let left = number(conn, &format!("SELECT count(*) FROM kimberly.{table} t WHERE t::text LIKE '%{who}%'")).await;
        assert_eq!(left, 0, "{table}");
        let all = number(conn, &format!("SELECT count(*) FROM kimberly.{table} t WHERE t::text LIKE '%walrus%'")).await;
        assert_eq!(all, if table == "memories" { 2 } else { 0 }, "{table}: those of the other user stay");
    }
    assert_eq!(bed.usage("other").await.created, 2);
}

/// A write that runs when a purge begins is completed first, and counted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_purge_begins_behind_running_writes() {
    let database = Database::with_tables().await;
    let bed = bed(database.store().await, ());
    with_rows(&bed, "u").await;
    let (inside, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let writing = {
        let (vaults, inside, go) = (Arc::clone(&bed.vaults), Arc::clone(&inside), Arc::clone(&go));
        tokio::spawn(async move {
            let who = user("u");
            let work = vaults.transact(&who, "slow", move |tx| {
                let (inside, go) = (Arc::clone(&inside), Arc::clone(&go));
                Box::pin(async move {
                    tx.enqueue(Uuid::from_u128(8), &Job::Meditate { meditation_id: run_id(2) }, START, None).await?;
                    inside.notify_one();
                    go.notified().await;
                    Ok(())
                })
            });
            work.await
        })
    };
    inside.notified().await;
    let purges = Arc::clone(&bed.purges);
    let beginning = tokio::spawn(async move { purges.begin(id(1), &user("u"), &by()).await });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
         AND wait_event_type = 'Lock' AND query LIKE '%purging%'";
    let conn = &mut database.connect().await;
    while number(conn, waits).await == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    go.notify_one();
    writing.await.unwrap().unwrap();
    beginning.await.unwrap().unwrap();
    assert_eq!(purge(&*bed.purges, 1).await.erased.rows.get("outbox"), Some(&2));
}

/// Of two concurrent requests one begins the purge, and the other gets the same one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_is_purged_once_at_a_time() {
    let database = Database::with_tables().await;
    let (one, other) = (bed(database.store().await, ()), bed(database.store().await, ()));
    with_rows(&one, "u").await;
    for round in 0..10 {
        let asked: Vec<_> = [(&one, 2 * round + 1), (&other, 2 * round + 2)]
            .map(|(bed, n)| {
                let purges = Arc::clone(&bed.purges);
                tokio::spawn(async move { purges.begin(id(n), &user("u"), &by()).await.unwrap() })
            })
            .into();
        let mut begun = Vec::new();
        for asked in asked {
            begun.push(asked.await.unwrap());
        }
        assert_eq!(begun[0], begun[1]);
        assert_eq!(one.purges.under_way(9).await.unwrap(), [begun[0].id]);
        purge(&*other.purges, begun[0].id.0.as_u128()).await;
    }
}

/// Only one process holds the purge lock, which is released when its connection ends, however that happens.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_right_to_purge_ends_with_its_connection() {
    let database = Database::with_tables().await;
    let (one, other) = (bed(database.store().await, ()), bed(database.store().await, ()));
    let held = one.purges.hold().await.unwrap();
    let purges = Arc::clone(&other.purges);
    let waiting = tokio::spawn(async move { purges.hold().await.map(drop) });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!waiting.is_finished(), "another process has it");
    let conn = &mut database.connect().await;
    let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = 'ExclusiveLock' \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    assert_eq!(number(conn, cut).await, 1);
    waiting.await.unwrap().unwrap();
    drop(held);
    drop(one.purges.hold().await.unwrap());
    drop(other.purges.hold().await.unwrap());
}

/// A process that lost the lock unnoticed does nothing to a user who has returned.
#[tokio::test]
async fn an_overtaken_purge_changes_nothing() {
    let database = Database::with_tables().await;
    let bed = bed(database.store().await, ());
    with_rows(&bed, "u").await;
    let mut frozen = bed.purges.begin(id(1), &user("u"), &by()).await.unwrap();
    let receipt = purge(&*bed.purges, 1).await;
    with_rows(&bed, "u").await;
    let purges = &*bed.purges;
    assert!(is_overtaken(&purges.empty_vault(&user("u"), id(1)).await.unwrap_err()));
    purges.destroy_vault(&user("u"), id(1)).await.unwrap();
    purges.release(&user("u"), id(1)).await.unwrap();
    assert!(is_overtaken(&purges.store_progress(&frozen).await.unwrap_err()));
    frozen.step = PurgeStep::Registry;
    assert!(is_overtaken(&purges.forget_user(&frozen, Still.now()).await.unwrap_err()));
    frozen.step = PurgeStep::Receipt;
    assert!(is_overtaken(&purges.finish(&frozen, Still.now()).await.unwrap_err()));
    assert_eq!(purges.get(id(1)).await.unwrap(), Some(receipt));
    assert_eq!(bed.usage("u").await.created, 2);
    assert_eq!(bed.registry.count_users().await.unwrap(), 1);
    let told = "SELECT count(*) FROM kimberly.system_audit";
    assert_eq!(number(&mut database.connect().await, told).await, 2, "asked for, and done");
}

/// Also from processes that have read it before.
#[tokio::test]
async fn a_hidden_vault_is_hidden_from_every_process() {
    let database = Database::with_tables().await;
    let (one, other) = (bed(database.store().await, ()), bed(database.store().await, ()));
    with_rows(&one, "u").await;
    assert_eq!(other.usage("u").await.created, 2);
    one.purges.begin(id(1), &user("u"), &by()).await.unwrap();
    let read = other.vaults.read(&user("u"), |r| Box::pin(r.usage())).await;
    assert!(matches!(read, Err(Error::Purging)), "{read:?}");
}
