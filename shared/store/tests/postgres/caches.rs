//! Caches of vaults in a process: they are used, they expire, and no reader sees outdated data.

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::PurgeId;
use kimberly_core::ids::Seq;
use kimberly_core::ports::By;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{any_of, at, draft, new_memory, user};
use kimberly_store::{PgOptions, PgStore};
use uuid::Uuid;

use crate::postgres::common::{Database, Still, bed};
use crate::postgres::purging::purge;

/// Two processes on one database.
async fn two(database: &Database) -> [Bed; 2] {
    [bed(database.store().await, ()), bed(database.store().await, ())]
}

/// Returns the numbers of memories that contain a word, and whether any does.
async fn holding(bed: &Bed, word: &str) -> (Vec<i64>, bool) {
    let (query, words) = (any_of(&[word]), [word.to_owned()]);
    bed.read("u", move |r| {
        let (query, words) = (query.clone(), words.clone());
        Box::pin(async move {
            let hits = r.lexical(&query, 10).await?;
            let known = r.known_words(&words, None).await? == [true];
            Ok((hits.iter().map(|hit| hit.seq.0).collect(), known))
        })
    })
    .await
}

async fn remember(bed: &Bed, n: u32, content: &str) {
    bed.insert("u", vec![new_memory(n, draft(content))]).await;
}

#[tokio::test]
async fn what_was_searched_again_is_answered_from_memory_and_new_memories_are_added() {
    let database = Database::with_tables().await;
    let [caching, asking] = two(&database).await;
    remember(&asking, 1, "a heron").await;
    for _ in 0..2 {
        assert_eq!(holding(&caching, "heron").await, (vec![1], true));
    }
    // Bypasses the counters, as no process would: Postgres now finds nothing.
    database.run("UPDATE kimberly.memories SET indexed = NULL").await;
    assert_eq!(holding(&asking, "heron").await, (vec![], false));
    assert_eq!(holding(&caching, "heron").await, (vec![1], true));
    remember(&asking, 2, "another heron, and a boat").await;
    assert_eq!(holding(&caching, "heron").await, (vec![1, 2], true));
    assert_eq!(holding(&caching, "boat").await, (vec![2], true));
}

#[tokio::test]
async fn a_vault_that_is_searched_once_is_not_cached() {
    let database = Database::with_tables().await;
    let [once, again] = two(&database).await;
    remember(&once, 1, "a heron").await;
    for (bed, searches) in [(&once, 1), (&again, 2)] {
        for _ in 0..searches {
            assert_eq!(holding(bed, "heron").await, (vec![1], true));
        }
    }
    // Other queries of a recall, in a separate read, do not count as a second search.
    let neighbours = async |bed: &Bed| {
        let filter = any_of(&["heron"]).filter;
        let read = bed.read("u", move |r| {
            let filter = filter.clone();
            Box::pin(async move { r.at_seqs(&[Seq(1)], &filter).await })
        });
        read.await.len()
    };
    assert_eq!((neighbours(&once).await, neighbours(&again).await), (1, 1));
    // Archived without changing the counters, so caches do not notice.
    database.run("UPDATE kimberly.memories SET state = 1").await;
    assert_eq!(
        (neighbours(&again).await, holding(&again, "heron").await.0),
        (1, vec![1]),
        "the test sees what is kept"
    );
    assert_eq!((neighbours(&once).await, holding(&once, "heron").await.0), (0, vec![]));
}

#[tokio::test]
async fn a_purge_by_another_process_leaves_no_word_to_be_found() {
    let database = Database::with_tables().await;
    let [caching, other] = two(&database).await;
    remember(&other, 1, "a heron").await;
    for _ in 0..3 {
        assert_eq!(holding(&caching, "heron").await, (vec![1], true));
    }
    other.purges.begin(PurgeId(Uuid::from_u128(1)), &user("u"), &By::new("key:ann", at(8_000))).await.unwrap();
    purge(&*other.purges, 1).await;
    assert_eq!(holding(&caching, "heron").await, (vec![], false));
    // The counters have the same values again.
    remember(&other, 1, "a boat").await;
    for _ in 0..3 {
        assert_eq!(holding(&caching, "heron").await, (vec![], false));
        assert_eq!(holding(&caching, "boat").await, (vec![1], true));
    }
}

#[tokio::test]
async fn what_was_not_used_for_a_while_goes() {
    let database = Database::with_tables().await;
    let options = PgOptions { vault_idle: Duration::from_millis(50), ..database.options() };
    let caching = bed(PgStore::open(options, Arc::new(Still)).await.unwrap(), ());
    remember(&caching, 1, "a heron").await;
    for _ in 0..2 {
        assert_eq!(holding(&caching, "heron").await, (vec![1], true));
    }
    let gone = async {
        while caching.vaults.open_vaults() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone).await.expect("unused vaults are forgotten");
    assert_eq!(holding(&caching, "heron").await, (vec![1], true));
}
