//! Jobs wait in their vault, and the registry lists every vault with a waiting job.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kimberly_core::Error;
use kimberly_core::ports::{Job, OutboxRow, Registry};
use uuid::Uuid;

use super::Bed;
use super::fixtures::{at, run_id, user};

fn job(n: u128) -> Job {
    Job::Meditate { meditation_id: run_id(n) }
}

async fn enqueue(bed: &Bed, who: &str, n: u32) {
    bed.write(who, move |tx| {
        Box::pin(async move { tx.enqueue(Uuid::from_u128(n.into()), &job(n.into()), at(n.into()), None).await })
    })
    .await;
}

async fn waiting(bed: &Bed, who: &str) -> Vec<OutboxRow> {
    bed.read(who, |r| Box::pin(r.outbox(100))).await
}

async fn remove(bed: &Bed, who: &str, positions: Vec<i64>) {
    bed.write(who, move |tx| {
        let positions = positions.clone();
        Box::pin(async move { tx.remove_outbox(&positions).await })
    })
    .await;
}

async fn pending_users(bed: &Bed) -> Vec<String> {
    bed.registry.pending_outboxes(100).await.unwrap().iter().map(|outbox| outbox.user.to_string()).collect()
}

/// Every field reads back, oldest first; positions are never reused, so that a late removal cannot remove a new job.
pub async fn jobs_wait_in_order_until_removed(bed: &Bed) {
    bed.write("u", |tx| {
        Box::pin(async move {
            tx.enqueue(Uuid::from_u128(7), &job(1), at(5), Some("00-abc-def-01")).await?;
            tx.enqueue(Uuid::from_u128(6), &job(2), at(4), None).await
        })
    })
    .await;
    let rows = waiting(bed, "u").await;
    assert_eq!((rows[0].job_id, &rows[0].job, rows[0].created_at), (Uuid::from_u128(7), &job(1), at(5)));
    assert_eq!(rows[0].traceparent.as_deref(), Some("00-abc-def-01"));
    assert_eq!((rows[1].job_id, rows[1].traceparent.as_deref()), (Uuid::from_u128(6), None));
    assert_eq!(bed.read("u", |r| Box::pin(r.outbox(1))).await, rows[..1]);
    remove(bed, "u", rows.iter().map(|row| row.position).collect()).await;
    assert!(waiting(bed, "u").await.is_empty());
    enqueue(bed, "u", 9).await;
    assert!(waiting(bed, "u").await[0].position > rows[1].position);
    remove(bed, "u", rows.iter().map(|row| row.position).collect()).await;
    assert_eq!(waiting(bed, "u").await.len(), 1);
}

/// An outbox stays pending while a job waits, however often clearing it is requested, even if writers race with clearing.
pub async fn an_outbox_with_jobs_is_always_listed_as_pending(bed: &Bed) {
    enqueue(bed, "u", 1).await;
    enqueue(bed, "v", 2).await;
    assert_eq!(pending_users(bed).await, ["u", "v"]);
    bed.registry.clear_pending_outbox(&user("u")).await.unwrap();
    assert_eq!(pending_users(bed).await, ["u", "v"]);
    let positions = waiting(bed, "u").await.iter().map(|row| row.position).collect();
    remove(bed, "u", positions).await;
    assert_eq!(pending_users(bed).await, ["u", "v"]);
    bed.registry.clear_pending_outbox(&user("u")).await.unwrap();
    assert_eq!(pending_users(bed).await, ["v"]);
    let done = Arc::new(AtomicBool::new(false));
    let clearing = tokio::spawn(clear_all_the_time(Arc::clone(&bed.registry), Arc::clone(&done)));
    for n in 10..40 {
        enqueue(bed, "u", n).await;
        assert!(pending_users(bed).await.contains(&"u".to_owned()), "job {n} waits without a mark");
        let positions = waiting(bed, "u").await.iter().map(|row| row.position).collect();
        remove(bed, "u", positions).await;
    }
    done.store(true, Ordering::Relaxed);
    clearing.await.unwrap();
}

async fn clear_all_the_time(registry: Arc<dyn Registry>, done: Arc<AtomicBool>) {
    while !done.load(Ordering::Relaxed) {
        registry.clear_pending_outbox(&user("u")).await.unwrap();
        tokio::task::yield_now().await;
    }
}

/// A failed work leaves no job; a pending outbox that it may leave can be cleared.
pub async fn a_taken_back_job_leaves_none(bed: &Bed) {
    let failed = bed
        .vaults
        .transact(&user("u"), "test", |tx| {
            Box::pin(async move {
                tx.enqueue(Uuid::from_u128(1), &job(1), at(1), None).await?;
                Err::<(), _>(Error::PlanChanged)
            })
        })
        .await;
    assert!(failed.is_err());
    assert!(waiting(bed, "u").await.is_empty());
    bed.registry.clear_pending_outbox(&user("u")).await.unwrap();
    assert!(pending_users(bed).await.is_empty());
}

/// Clearing the pending outbox of a user without a vault creates none.
pub async fn pending_outboxes_of_unknown_users_can_be_cleared(bed: &Bed) {
    bed.registry.clear_pending_outbox(&user("ghost")).await.unwrap();
    assert_eq!(bed.registry.count_users().await.unwrap(), 0);
    for n in 1..=3 {
        enqueue(bed, &format!("u{n}"), 10 - n).await;
    }
    let pending = bed.registry.pending_outboxes(2).await.unwrap();
    assert_eq!(
        pending.iter().map(|m| (m.user.as_str(), m.pending_since)).collect::<Vec<_>>(),
        [("u3", at(7)), ("u2", at(8))]
    );
}
