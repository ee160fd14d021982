//! Transactions are atomic; a read sees one snapshot.

use kimberly_core::Error;
use kimberly_core::audit::AuditEntry;
use kimberly_core::ids::Seq;
use kimberly_core::memory::MemoryState;
use kimberly_core::ports::RequestRecord;
use tokio::sync::oneshot;

use super::Bed;
use super::fixtures::{any_of, at, draft, memory_id, new_memory, user};

/// All writes before a failure are undone, and their numbers are reused.
pub async fn a_failed_work_changes_nothing(bed: &Bed) {
    bed.remember("u", [draft("kept")]).await;
    let before = bed.usage("u").await;
    let failed = bed
        .vaults
        .transact(&user("u"), "test", |tx| {
            Box::pin(async move {
                tx.insert_memories(&[new_memory(2, draft("lost zebra"))]).await?;
                tx.set_state(Seq(1), MemoryState::Deleted, Some(at(9)), Some(at(10)), at(9)).await?;
                tx.put_request(&record("r")).await?;
                tx.audit(&AuditEntry {
                    at: at(1),
                    actor: "user".into(),
                    action: "memory.create",
                    refused: None,
                    subject: None,
                    count: 1,
                })
                .await?;
                Err::<(), _>(Error::PlanChanged)
            })
        })
        .await;
    assert!(matches!(failed, Err(Error::PlanChanged)), "{failed:?}");
    assert_eq!(bed.usage("u").await, before);
    assert_eq!(bed.memory("u", 2).await, None);
    assert_eq!(bed.found("u", any_of(&["zebra", "kept"])).await, [1]);
    let context = bed.read("u", |r| Box::pin(r.write_context(Some("r")))).await;
    assert_eq!(context.prior, None);
    assert_eq!(bed.insert("u", vec![new_memory(3, draft("next"))]).await, [Seq(2)]);
}

fn record(id: &str) -> RequestRecord {
    RequestRecord { request_id: id.to_owned(), fingerprint: [1; 32], answer: "{}".to_owned(), at: at(1) }
}

/// A running read does not see later commits; the next one does.
pub async fn a_reader_sees_one_snapshot(bed: &Bed) {
    bed.remember("u", [draft("first")]).await;
    let (looked, has_looked) = oneshot::channel();
    let (wrote, has_written) = oneshot::channel();
    let (vaults, mut ends) = (std::sync::Arc::clone(&bed.vaults), Some((looked, has_written)));
    let reading = tokio::spawn(async move {
        vaults
            .read(&user("u"), move |r| {
                let ends = ends.take();
                Box::pin(async move {
                    let before = r.usage().await?;
                    let (looked, has_written) = ends.unwrap();
                    looked.send(()).unwrap();
                    has_written.await.unwrap();
                    let after = (r.usage().await?, r.memory(memory_id(2)).await?);
                    Ok((before, after))
                })
            })
            .await
            .unwrap()
    });
    has_looked.await.unwrap();
    bed.insert("u", vec![new_memory(2, draft("second"))]).await;
    wrote.send(()).unwrap();
    let (before, (after, second)) = reading.await.unwrap();
    assert_eq!(before, after);
    assert_eq!(second, None);
    assert_eq!(bed.usage("u").await.created, 2);
}

/// Reads inside a transaction see its changes, including the full-text index.
pub async fn a_work_sees_its_own_changes(bed: &Bed) {
    bed.remember("u", [draft("old heron")]).await;
    let (found, usage, numbers) = bed
        .write("u", |tx| {
            Box::pin(async move {
                let mut numbers = tx.insert_memories(&[new_memory(2, draft("new heron"))]).await?;
                let found = tx.as_reader().lexical(&any_of(&["heron"]), 10).await?.len();
                numbers.extend(tx.insert_memories(&[new_memory(3, draft("newest heron"))]).await?);
                tx.set_state(Seq(2), MemoryState::Archived, Some(at(1)), Some(at(2)), at(1)).await?;
                let usage = tx.usage().await?;
                assert_eq!(usage, tx.recount().await?);
                Ok((found, usage, numbers))
            })
        })
        .await;
    assert_eq!((found, usage.created, usage.archived), (2, 3, 1));
    assert_eq!(numbers, [Seq(2), Seq(3)]);
    assert_eq!(bed.found("u", any_of(&["heron"])).await.len(), 2);
}

/// Works return values, even if they touch nothing.
pub async fn what_a_value_carries_comes_back(bed: &Bed) {
    assert_eq!(bed.write("u", |_| Box::pin(async { Ok(41 + 1) })).await, 42);
    let text = bed.read("u", |_| Box::pin(async { Ok("read".to_owned()) })).await;
    assert_eq!(text, "read");
}

/// A work that must not create a vault creates none, and changes an existing one.
pub async fn what_only_ends_something_makes_no_vault(bed: &Bed) {
    let end = || async {
        let owner = user("u");
        let write = bed.vaults.transact_existing(&owner, "test", |tx| {
            Box::pin(async move { tx.insert_memories(&[new_memory(2, draft("late"))]).await.map(|seqs| seqs.len()) })
        });
        write.await.unwrap()
    };
    assert_eq!(end().await, None);
    assert_eq!(bed.memory("u", 2).await, None);
    assert!(bed.registry.users(None, 10).await.unwrap().is_empty());
    bed.remember("u", [draft("first")]).await;
    assert_eq!(end().await, Some(1));
    assert!(bed.memory("u", 2).await.is_some());
}
