//! The number of open vaults is limited, and none is closed while in use.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_store::SqliteOptions;
use kimberly_store::conformance::fixtures::{draft, new_memory, user};

use crate::sqlite::common::store;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_users_share_four_open_vaults() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(SqliteOptions { max_open: 4, ..SqliteOptions::new(folder.path()) }).await;
    let mut tasks = Vec::new();
    for task in 0..64_u32 {
        let vaults = store.vaults();
        tasks.push(tokio::spawn(async move {
            for n in 0..8 {
                let who = user(&format!("u{}", (task * 7 + n * 13) % 50));
                let memory = new_memory(task * 100 + n, draft("evicted heron"));
                let written = vaults
                    .transact(&who, "create", move |tx| {
                        let memory = memory.clone();
                        Box::pin(async move { tx.insert_memories(&[memory]).await })
                    })
                    .await
                    .unwrap();
                let seen = vaults.read(&who, move |r| Box::pin(r.memories_exist(written[0].0))).await.unwrap();
                assert!(seen, "an acknowledged write is read at once");
                assert!(vaults.open_vaults() <= 4);
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let vaults = store.vaults();
    let mut sum = 0;
    for n in 0..50 {
        let usage = vaults
            .read(&user(&format!("u{n}")), |r| {
                Box::pin(async move {
                    let usage = r.usage().await?;
                    assert_eq!(usage, r.recount().await?);
                    Ok(usage)
                })
            })
            .await
            .unwrap();
        sum += usage.created;
    }
    assert_eq!(sum, 64 * 8);
    vaults.close().await;
    assert_eq!(vaults.open_vaults(), 0);
}

/// Helper that reports whether a memory exists.
trait Exists {
    fn memories_exist(&mut self, seq: i64) -> kimberly_core::ports::BoxFuture<'_, kimberly_core::Result<bool>>;
}

impl Exists for dyn kimberly_core::ports::VaultReader + '_ {
    fn memories_exist(&mut self, seq: i64) -> kimberly_core::ports::BoxFuture<'_, kimberly_core::Result<bool>> {
        Box::pin(async move { Ok(!self.memories(&[kimberly_core::ids::Seq(seq)]).await?.is_empty()) })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vault_in_use_is_waited_for_and_not_closed() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(SqliteOptions { max_open: 1, ..SqliteOptions::new(folder.path()) }).await;
    let vaults = store.vaults();
    vaults
        .transact(&user("b"), "create", |tx| {
            Box::pin(async move { tx.insert_memories(&[new_memory(9, draft("b"))]).await })
        })
        .await
        .unwrap();
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (go, may_end) = tokio::sync::oneshot::channel::<()>();
    let (holder, mut ends) = (Arc::clone(&vaults), Some((begun, may_end)));
    let holding = tokio::spawn(async move {
        holder
            .transact(&user("a"), "hold", move |tx| {
                let (begun, may_end) = ends.take().unwrap();
                Box::pin(async move {
                    begun.send(()).unwrap();
                    may_end.await.unwrap();
                    tx.insert_memories(&[new_memory(1, draft("held"))]).await
                })
            })
            .await
    });
    has_begun.await.unwrap();
    let other = user("b");
    let waiting = vaults.read(&other, |r| Box::pin(r.usage()));
    tokio::pin!(waiting);
    assert!(tokio::time::timeout(Duration::from_millis(100), &mut waiting).await.is_err(), "must wait");
    go.send(()).unwrap();
    holding.await.unwrap().unwrap();
    assert_eq!(waiting.await.unwrap().created, 1);
    assert_eq!(vaults.read(&user("a"), |r| Box::pin(r.usage())).await.unwrap().created, 1);
    vaults.close().await;
}

#[tokio::test]
async fn unused_vaults_are_closed_after_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let (idle, quick) = (Duration::from_millis(200), Duration::from_millis(50));
    let options = SqliteOptions { vault_idle: idle, writer_idle: quick, ..SqliteOptions::new(folder.path()) };
    let store = store(options).await;
    let vaults = store.vaults();
    vaults
        .transact(&user("a"), "create", |tx| {
            Box::pin(async move { tx.insert_memories(&[new_memory(1, draft("x"))]).await })
        })
        .await
        .unwrap();
    assert_eq!(vaults.open_vaults(), 1);
    for _ in 0..100 {
        tokio::time::sleep(quick).await;
        if vaults.open_vaults() == 0 {
            break;
        }
    }
    assert_eq!(vaults.open_vaults(), 0);
    assert_eq!(vaults.read(&user("a"), |r| Box::pin(r.usage())).await.unwrap().created, 1);
    vaults.close().await;
}

#[tokio::test]
async fn an_idle_writer_stays_open_for_the_next_write_and_is_then_closed() {
    let folder = tempfile::tempdir().unwrap();
    let (idle, close) = (Duration::from_millis(20), Duration::from_millis(700));
    let options = SqliteOptions { writer_idle: idle, writer_close: close, ..SqliteOptions::new(folder.path()) };
    let store = store(options).await;
    let vaults = store.vaults();
    let files = || {
        let open = std::fs::read_dir("/proc/self/fd").unwrap();
        let links = open.filter_map(|one| std::fs::read_link(one.ok()?.path()).ok());
        links.filter(|link| link.starts_with(folder.path()) && link.ends_with("memory.db")).count()
    };
    vaults
        .transact(&user("a"), "create", |tx| {
            Box::pin(async move { tx.insert_memories(&[new_memory(1, draft("x"))]).await })
        })
        .await
        .unwrap();
    let written = files();
    assert!(written > 0);
    let since = Instant::now();
    while files() == written && since.elapsed() < Duration::from_secs(20) {
        tokio::time::sleep(idle).await;
    }
    assert!(files() < written, "it never closed");
    assert!(since.elapsed() >= close / 2, "it closed when it was idle");
    vaults.close().await;
}

#[tokio::test]
async fn asking_for_users_without_a_vault_opens_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(SqliteOptions::new(folder.path())).await;
    let vaults = store.vaults();
    for n in 0..20 {
        assert_eq!(vaults.read(&user(&format!("ghost{n}")), |r| Box::pin(r.usage())).await.unwrap().created, 0);
    }
    assert_eq!(vaults.open_vaults(), 0);
    vaults.close().await;
}

#[tokio::test]
async fn a_closed_store_refuses_work() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(SqliteOptions::new(folder.path())).await;
    let vaults = store.vaults();
    vaults.close().await;
    let refused = vaults.read(&user("a"), |r| Box::pin(r.usage())).await;
    assert!(matches!(
        refused,
        Err(kimberly_core::Error::Storage { failure: kimberly_core::error::StorageFailure::Unavailable, .. })
    ));
    vaults.close().await;
}
