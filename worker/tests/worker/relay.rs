//! From the outbox to the queue.

use std::fs;
use std::ops::Range;
use std::time::Duration;

use kimberly_core::UserId;
use kimberly_core::error::StorageFailure;
use kimberly_core::ports::Job;
use kimberly_queue::CancellationToken;
use uuid::Uuid;

use crate::faulty::{Fault, Faulty};
use crate::fixture::{Fixture, until, user};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relayed_job_leaves_an_empty_outbox_that_is_not_pending() {
    let fixture = Fixture::new().await;
    let anna = user("anna");
    fixture.meditate(&anna).await;
    assert_eq!(fixture.registry().pending_outboxes(10).await.unwrap().len(), 1);
    assert_eq!(fixture.relay_on(fixture.store.vaults()).round().await.unwrap(), 1);
    assert_eq!(fixture.outbox(&anna).await, 0);
    assert!(fixture.registry().pending_outboxes(10).await.unwrap().is_empty());
    assert_eq!(fixture.queue.stats().await.unwrap().pending, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crash_between_push_and_removal_leaves_one_job() {
    let fixture = Fixture::new().await;
    let anna = user("anna");
    fixture.meditate(&anna).await;
    let cut = Faulty::new(fixture.store.vaults(), "outbox.relayed", 0, Fault::Hang);
    let mut dying = fixture.relay_on(cut.clone());
    let dying = tokio::spawn(async move { dying.round().await });
    until("pushed", || cut.faults() == 1).await;
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
    assert_eq!(fixture.queue.stats().await.unwrap().pending, 1);
    assert_eq!(fixture.outbox(&anna).await, 1);

    assert_eq!(fixture.relay_on(fixture.store.vaults()).round().await.unwrap(), 0, "it was in the queue already");
    assert_eq!(fixture.queue.stats().await.unwrap().pending, 1);
    assert_eq!(fixture.outbox(&anna).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_relays_at_once_push_each_job_once() {
    let fixture = Fixture::new().await;
    for n in 0..20 {
        fixture.meditate(&user(&format!("user-{n}"))).await;
    }
    let other = fixture.other_store().await;
    let mut first = fixture.relay_on(fixture.store.vaults());
    let mut second = fixture.relay_on(other.vaults());
    let (first, second) = tokio::join!(first.round(), second.round());
    assert_eq!(first.unwrap() + second.unwrap(), 20);
    assert_eq!(fixture.queue.stats().await.unwrap().pending, 20);
    assert!(fixture.registry().pending_outboxes(100).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vaults_with_many_jobs_hold_up_no_other() {
    let fixture = Fixture::new().await;
    let many: Vec<UserId> = (0..4).map(|n| user(&format!("many-{n}"))).collect();
    for (n, user) in (0..).zip(&many) {
        enqueue(&fixture, user, n * 1_000..(n + 1) * 1_000).await;
    }
    let few = user("few");
    enqueue(&fixture, &few, 4_000..4_001).await;
    // Enough for one turn of each user, but at most half of the jobs of the users with many.
    let stopped = Faulty::new(fixture.store.vaults(), "outbox.relayed", 21, Fault::Hang);
    let mut relay = fixture.relay_on(stopped.clone());
    let relay = tokio::spawn(async move { relay.round().await });
    until("stopped", || stopped.faults() > 0).await;
    relay.abort();
    let _ = relay.await;
    assert_eq!(fixture.outbox(&few).await, 0, "the last user with a mark got a turn");
    for user in &many {
        assert_eq!(fixture.outbox(user).await, 500);
    }
    fixture.relay_on(fixture.store.vaults()).round().await.unwrap();
    assert_eq!(fixture.queue.stats().await.unwrap().pending, 4_001, "a later relay does the rest");
    assert!(fixture.registry().pending_outboxes(100).await.unwrap().is_empty());
}

/// Adds jobs of an arbitrary kind to the outbox.
async fn enqueue(fixture: &Fixture, user: &UserId, ids: Range<u128>) {
    let at = fixture.app().clock.now();
    let vaults = fixture.store.vaults();
    let put = vaults.transact(user, "test.enqueue", move |tx| {
        let ids = ids.clone();
        Box::pin(async move {
            for id in ids {
                tx.enqueue(Uuid::from_u128(id), &Job::Erase, at, None).await?;
            }
            Ok(())
        })
    });
    put.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn corrupt_vault_does_not_block_others() {
    let fixture = Fixture::new().await;
    let damaged = user("damaged");
    fixture.meditate(&damaged).await;
    fixture.store.vaults().close().await;
    overwrite_files_below(&fixture.folder.path().join("vaults"));
    let store = fixture.other_store().await;
    let fixture = Fixture { store, ..fixture };
    fixture.meditate(&user("well")).await;
    let mut relay = fixture.relay_on(fixture.store.vaults());
    assert_eq!(relay.round().await.unwrap(), 1);
    let pending = fixture.registry().pending_outboxes(10).await.unwrap();
    assert_eq!(pending.into_iter().map(|outbox| outbox.user).collect::<Vec<_>>(), [damaged]);
    fixture.meditate(&user("later")).await;
    assert_eq!(relay.round().await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vault_that_failed_sits_out_a_while_and_then_comes_again() {
    let fixture = Fixture::new().await;
    fixture.meditate(&user("anna")).await;
    let busy = Faulty::new(fixture.store.vaults(), "outbox.relayed", 0, Fault::Fail(StorageFailure::Unavailable));
    let mut relay = fixture.relay_on(busy.clone());
    for _ in 0..3 {
        relay.round().await.unwrap();
    }
    assert_eq!(busy.faults(), 1, "the first failure was followed by a pause");
    tokio::time::sleep(Duration::from_secs(5)).await;
    relay.round().await.unwrap();
    assert_eq!(busy.faults(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn relay_hears_of_new_jobs_at_once() {
    let fixture = Fixture::new().await;
    let shutdown = CancellationToken::new();
    let relay = fixture.relay_on(fixture.store.vaults()).every(Duration::from_hours(1));
    let relay = tokio::spawn(relay.run(shutdown.clone()));
    tokio::time::sleep(Duration::from_millis(300)).await;
    fixture.meditate(&user("anna")).await;
    fixture.eventually("relayed", |stats| stats.pending == 1).await;
    shutdown.cancel();
    relay.await.unwrap();
}

fn overwrite_files_below(folder: &std::path::Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            overwrite_files_below(&path);
        } else {
            let length = usize::try_from(fs::metadata(&path).unwrap().len()).unwrap();
            fs::write(&path, vec![0x5a; length]).unwrap();
        }
    }
}
