//! Acknowledged data survives any kind of end.

use kimberly_store::conformance::fixtures::{any_of, draft, new_memory};

use crate::sqlite::common::{bed_in, databases};

#[tokio::test]
async fn a_store_that_was_dropped_without_closing_has_lost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..5_u32 {
        let bed = bed_in(folder.path()).await;
        bed.insert("u", vec![new_memory(round, draft("kept heron"))]).await;
        assert_eq!(bed.usage("u").await.created, u64::from(round) + 1);
        // Dropped here, with open connections and a full log.
    }
    let bed = bed_in(folder.path()).await;
    assert_eq!(bed.found("u", any_of(&["heron"])).await.len(), 5);
    bed.vaults.close().await;
}

#[tokio::test]
async fn files_copied_while_it_runs_are_a_vault_with_all_that_was_acknowledged() {
    let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let bed = bed_in(folder.path()).await;
    for n in 0..40 {
        bed.insert("u", vec![new_memory(n, draft("kept heron"))]).await;
    }
    // The log is allocated ahead of its commits.
    let log = databases(folder.path()).pop().unwrap().with_extension("db-wal");
    assert!(std::fs::read(log).unwrap().iter().rev().take(65_536).all(|byte| *byte == 0));
    // As after a kill: database and log as they are.
    for path in crate::sqlite::common::files(folder.path()) {
        let to = copy.path().join(path.strip_prefix(folder.path()).unwrap());
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        if !path.to_string_lossy().ends_with("-shm") {
            std::fs::copy(&path, &to).unwrap();
        }
    }
    let revived = bed_in(copy.path()).await;
    assert_eq!(revived.usage("u").await.created, 40);
    assert_eq!(revived.found("u", any_of(&["heron"])).await.len(), 40);
    revived.vaults.close().await;
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_closed_vault_is_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    bed.remember("u", [draft("one")]).await;
    bed.usage("u").await;
    bed.vaults.close().await;
    let database = databases(folder.path()).pop().unwrap();
    assert_eq!(crate::sqlite::common::files(database.parent().unwrap()), [database]);
}

#[tokio::test]
async fn a_transaction_without_changes_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    bed.remember("u", [draft("one")]).await;
    let log = databases(folder.path()).pop().unwrap().with_file_name("memory.db-wal");
    let before = std::fs::read(&log).unwrap();
    assert_eq!(bed.write("u", |tx| Box::pin(tx.prune_changes(kimberly_core::Timestamp(0), 10))).await, 0);
    assert_eq!(std::fs::read(&log).unwrap(), before);
    bed.insert("u", vec![new_memory(2, draft("two"))]).await;
    assert_ne!(std::fs::read(&log).unwrap(), before, "a change is written");
    bed.vaults.close().await;
}

#[tokio::test]
async fn the_log_does_not_grow_with_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    let text = "a memory of some hundred bytes that fills pages and pages of the log, again and again and again ";
    for batch in 0..12 {
        let memories = (0..500).map(|n| new_memory(batch * 500 + n, draft(&text.repeat(4)))).collect();
        bed.insert("u", memories).await;
    }
    let database = databases(folder.path()).pop().unwrap();
    let log = std::fs::metadata(database.with_file_name("memory.db-wal")).unwrap().len();
    assert!(log < 9_000_000, "{log}");
    assert_eq!(bed.usage("u").await.created, 6_000);
    bed.vaults.close().await;
}

#[tokio::test]
async fn an_empty_vault_and_a_thousand_memories_are_small() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    bed.write("u", |tx| Box::pin(async move { tx.usage().await })).await;
    let empty = bed.read("u", |r| Box::pin(r.sizes())).await;
    assert!(empty.disk_bytes < 435_000, "{empty:?}");
    let text = |n: i32| {
        let words = (0..28).map(|w| format!("word{}", (n * 31 + w * w * 7) % 997));
        words.collect::<Vec<_>>().join(" ")
    };
    bed.remember("u", (0..1_000).map(|n| draft(&text(n)))).await;
    bed.vaults.close().await;
    let bed = bed_in(folder.path()).await;
    let full = bed.read("u", |r| Box::pin(r.sizes())).await;
    assert!(full.disk_bytes < 1_150_000 && full.index_bytes > 50_000, "{full:?}");
    assert!(full.index_bytes < full.disk_bytes, "{full:?}");
    bed.vaults.close().await;
}
