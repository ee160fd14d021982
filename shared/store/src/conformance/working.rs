//! Working memory: ephemeral texts by key.

use kimberly_core::time::Span;
use kimberly_core::working::{Keyspace, WorkingOp, WorkingOps};
use kimberly_core::{Timestamp, UserId};

use super::Bed;

fn keyspace(user: &str, session: &str) -> Keyspace {
    Keyspace::parse(UserId::parse(user).unwrap(), "", session).unwrap()
}

fn increment(key: &str) -> WorkingOp {
    WorkingOp::Increment { key: key.to_owned(), by: 1, lifetime: None }
}

fn set(key: &str, value: &str) -> WorkingOp {
    WorkingOp::Set { key: key.to_owned(), value: value.to_owned(), lifetime: None }
}

async fn run(bed: &Bed, keyspace: &Keyspace, ops: Vec<WorkingOp>, seconds: i64) -> Vec<Option<String>> {
    let (ops, now) = (WorkingOps::batch(ops).unwrap(), Timestamp(0).plus(Span::seconds(seconds)));
    let outcomes = bed.working.run(keyspace, &ops, now).await.unwrap();
    outcomes.into_iter().map(|outcome| outcome.value).collect()
}

async fn value(bed: &Bed, keyspace: &Keyspace, key: &str, seconds: i64) -> Option<String> {
    run(bed, keyspace, vec![WorkingOp::Get { key: key.to_owned() }], seconds).await.remove(0)
}

/// Also across processes, where they share it.
pub async fn keyspaces_are_separate_and_entries_expire(bed: &Bed) {
    let (trip, home, other) = (keyspace("u", "trip"), keyspace("u", "home"), keyspace("v", "trip"));
    run(bed, &trip, vec![set("a", "ünï"), set("b", "")], 0).await;
    assert_eq!(value(bed, &trip, "a", 3_599).await.as_deref(), Some("ünï"));
    assert_eq!(value(bed, &trip, "b", 3_599).await.as_deref(), Some(""));
    assert_eq!((value(bed, &home, "a", 1).await, value(bed, &other, "a", 1).await), (None, None));
    assert_eq!(value(bed, &trip, "a", 3_600).await, None);
    run(bed, &trip, vec![set("c", "1")], 4_000).await;
    bed.working.forget(&trip.user).await.unwrap();
    assert_eq!(value(bed, &trip, "c", 4_001).await, None);
}

/// Increments in one keyspace are serialized.
pub async fn increments_at_once_lose_nothing(bed: &Bed) {
    let keyspace = keyspace("u", "s");
    let counting = (0..20).map(|_| run(bed, &keyspace, vec![increment("n"), increment("m")], 0));
    futures::future::join_all(counting).await;
    assert_eq!(value(bed, &keyspace, "n", 1).await.as_deref(), Some("20"));
}

/// A batch is applied completely or not at all; evicted entries are gone for other processes, too.
pub async fn a_batch_that_fails_leaves_nothing(bed: &Bed) {
    let keyspace = keyspace("u", "s");
    run(bed, &keyspace, vec![set("a", "tea")], 0).await;
    let ops = WorkingOps::batch(vec![set("b", "x"), increment("a")]).unwrap();
    let refused = bed.working.run(&keyspace, &ops, Timestamp(1)).await;
    assert!(matches!(refused, Err(kimberly_core::Error::Conflict { .. })), "{refused:?}");
    assert_eq!(
        (value(bed, &keyspace, "a", 1).await.as_deref(), value(bed, &keyspace, "b", 1).await),
        (Some("tea"), None)
    );
}

/// A full keyspace evicts the least recently used entries first.
pub async fn a_full_keyspace_evicts_the_least_recently_used(bed: &Bed) {
    let keyspace = keyspace("u", "s");
    let text = "x".repeat(60_000);
    for n in 0..20 {
        run(bed, &keyspace, vec![set(&format!("k{n:02}"), &text)], n).await;
        value(bed, &keyspace, "k00", n).await;
    }
    assert_eq!(value(bed, &keyspace, "k01", 9).await, None);
    let keys = WorkingOp::Keys { prefix: String::new(), after: String::new(), limit: 100 };
    let ops = WorkingOps::one(keys).unwrap();
    let listed = bed.working.run(&keyspace, &ops, Timestamp(0)).await.unwrap().remove(0).keys;
    assert_eq!((listed.len(), listed[0].as_str()), (17, "k00"));
}
