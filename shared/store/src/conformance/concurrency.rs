//! Concurrency: nothing is lost, and failures do not affect others.

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::Error;
use kimberly_core::audit::AuditEntry;
use kimberly_core::error::StorageFailure;

use tokio::sync::oneshot;

use super::Bed;
use super::fixtures::{any_of, at, draft, new_memory, user};

/// 64 tasks, 20 creates each, on four vaults.
pub async fn sixty_four_writers_lose_nothing(bed: &Bed) {
    let mut tasks = Vec::new();
    for task in 0..64_u32 {
        let vaults = Arc::clone(&bed.vaults);
        tasks.push(tokio::spawn(async move {
            let who = user(&format!("u{}", task % 4));
            for n in 0..20 {
                let memory = new_memory(task * 100 + n, draft(&format!("task {task} memory {n}")));
                vaults
                    .transact(&who, "create", move |tx| {
                        let memory = memory.clone();
                        Box::pin(async move {
                            let usage = tx.write_context(None).await?.usage;
                            let seqs = tx.insert_memories(std::slice::from_ref(&memory)).await?;
                            // No other work ran in between.
                            assert_eq!(seqs[0].0, i64::try_from(usage.created).unwrap() + 1);
                            let at = memory.created_at;
                            let actor = "user".into();
                            let entry = AuditEntry {
                                at,
                                actor,
                                action: "memory.create",
                                refused: None,
                                subject: None,
                                count: 1,
                            };
                            tx.audit(&entry).await
                        })
                    })
                    .await
                    .unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    for n in 0..4 {
        let who = format!("u{n}");
        assert_eq!(bed.usage(&who).await.created, 320);
        assert_eq!(bed.found(&who, any_of(&["memory"])).await.len(), 100);
        let word = format!("{}", n + 4);
        assert!(bed.found(&who, any_of(&[&word])).await.len() >= 20);
    }
}

/// Of works that share a commit, every third fails after writing; the others are stored completely.
pub async fn a_failing_work_takes_only_its_own_changes_back(bed: &Bed) {
    let mut tasks = Vec::new();
    for n in 0..60_u32 {
        let vaults = Arc::clone(&bed.vaults);
        tasks.push(tokio::spawn(async move {
            let (good, memory) = (n % 3 != 0, new_memory(n, draft(if n % 3 == 0 { "bad" } else { "good" })));
            let result = vaults
                .transact(&user("u"), "create", move |tx| {
                    let memory = memory.clone();
                    Box::pin(async move {
                        tx.insert_memories(&[memory]).await?;
                        if good { Ok(()) } else { Err(Error::PlanChanged) }
                    })
                })
                .await;
            assert_eq!(result.is_ok(), good, "{result:?}");
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(bed.usage("u").await.created, 40);
    assert_eq!(bed.found("u", any_of(&["good"])).await.len(), 40);
    assert!(bed.found("u", any_of(&["bad"])).await.is_empty());
}

/// A work that fails because of another's changes is answered after those changes are visible.
pub async fn a_refusal_comes_after_what_it_rests_on(bed: &Bed) {
    bed.remember("u", [draft("first")]).await;
    let who = user("u");
    let mut refused = 0;
    for n in 2..40 {
        let memory = new_memory(n, draft("taken"));
        let id = memory.id;
        let first = bed.vaults.transact(&who, "create", move |tx| {
            let memory = memory.clone();
            Box::pin(async move { tx.insert_memories(&[memory]).await })
        });
        let second = bed.vaults.transact(&who, "refuse", move |tx| {
            Box::pin(async move { if tx.memory(id).await?.is_some() { Err(Error::PlanChanged) } else { Ok(()) } })
        });
        // Keeps open the transaction that the others may share.
        let third = bed.vaults.transact(&who, "wait", |_| {
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(2)).await;
                Ok(())
            })
        });
        let second = async {
            if second.await.is_err() {
                refused += 1;
                assert!(bed.memory("u", u128::from(n)).await.is_some(), "refused for what is not there");
            }
        };
        let (first, (), third) = tokio::join!(first, second, third);
        first.unwrap();
        third.unwrap();
    }
    assert!(refused > 0);
}

/// A cancelled caller stops only work that has not begun.
pub async fn work_that_has_not_begun_is_dropped_with_its_caller(bed: &Bed) {
    bed.remember("u", [draft("first")]).await;
    let (started, has_started) = oneshot::channel();
    let (go, may_end) = oneshot::channel::<()>();
    let (vaults, mut ends) = (Arc::clone(&bed.vaults), Some((started, may_end)));
    let busy = tokio::spawn(async move {
        vaults
            .transact(&user("u"), "wait", move |_| {
                let ends = ends.take();
                Box::pin(async move {
                    let (started, may_end) = ends.unwrap();
                    started.send(()).unwrap();
                    may_end.await.unwrap();
                    Ok(())
                })
            })
            .await
    });
    has_started.await.unwrap();
    let who = user("u");
    let impatient = bed.vaults.transact(&who, "create", |tx| {
        Box::pin(async move { tx.insert_memories(&[new_memory(2, draft("orphan"))]).await })
    });
    assert!(tokio::time::timeout(Duration::from_millis(20), impatient).await.is_err());
    go.send(()).unwrap();
    busy.await.unwrap().unwrap();
    bed.insert("u", vec![new_memory(3, draft("after"))]).await;
    assert_eq!(bed.memory("u", 2).await, None);
    assert_eq!(bed.usage("u").await.created, 2);
}

/// A cancelled caller does not stop work that has begun.
pub async fn work_is_done_even_if_its_caller_went_away(bed: &Bed) {
    bed.remember("u", [draft("first")]).await;
    let (started, has_started) = oneshot::channel();
    let mut started = Some(started);
    let vaults = Arc::clone(&bed.vaults);
    let caller = tokio::spawn(async move {
        vaults
            .transact(&user("u"), "create", move |tx| {
                let started = started.take();
                Box::pin(async move {
                    if let Some(started) = started {
                        let _ = started.send(());
                    }
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    tx.insert_memories(&[new_memory(2, draft("orphan"))]).await
                })
            })
            .await
    });
    has_started.await.unwrap();
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    // The next write runs after it.
    bed.insert("u", vec![new_memory(3, draft("after"))]).await;
    assert!(bed.memory("u", 2).await.is_some());
    assert_eq!(bed.usage("u").await.created, 3);
}

/// A panic fails only the work that panicked.
pub async fn a_panicking_work_harms_no_other(bed: &Bed) {
    bed.remember("u", [draft("first")]).await;
    let result = bed
        .vaults
        .transact(&user("u"), "create", |tx| {
            Box::pin(async move {
                tx.insert_memories(&[new_memory(2, draft("half done"))]).await?;
                std::panic::panic_any("a defect");
                #[expect(unreachable_code, reason = "names the type of the result")]
                Ok(())
            })
        })
        .await;
    assert!(matches!(result, Err(Error::Storage { failure: StorageFailure::Defect, .. })), "{result:?}");
    bed.insert("u", vec![new_memory(3, draft("after"))]).await;
    assert_eq!(bed.memory("u", 2).await, None);
    assert_eq!(bed.usage("u").await.created, 2);
}

/// While a transaction is open, readers see the state before it.
pub async fn readers_do_not_wait_for_a_writer(bed: &Bed) {
    bed.remember("u", [draft("first")]).await;
    let (wrote, has_written) = oneshot::channel();
    let (go, may_end) = oneshot::channel();
    let (vaults, mut ends) = (Arc::clone(&bed.vaults), Some((wrote, may_end)));
    let writing = tokio::spawn(async move {
        vaults
            .transact(&user("u"), "create", move |tx| {
                let ends = ends.take();
                Box::pin(async move {
                    tx.insert_memories(&[new_memory(2, draft("second"))]).await?;
                    let (wrote, may_end) = ends.unwrap();
                    wrote.send(()).unwrap();
                    may_end.await.unwrap();
                    Ok(())
                })
            })
            .await
            .unwrap();
    });
    has_written.await.unwrap();
    let usage = tokio::time::timeout(Duration::from_secs(2), bed.usage("u")).await.unwrap();
    assert_eq!(usage.created, 1);
    go.send(()).unwrap();
    writing.await.unwrap();
    assert_eq!(bed.usage("u").await.created, 2);
    assert_eq!(bed.memory("u", 2).await.unwrap().created_at, at(2));
}
