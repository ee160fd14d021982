//! Without free space, writes fail and reads succeed; writing resumes when there is space again.

use kimberly_core::Error;
use kimberly_core::error::StorageFailure;
use kimberly_store::SqliteOptions;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{any_of, draft, new_memory, user};

use crate::sqlite::common::store;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_fails_writes_and_loses_no_data() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions { max_vault_pages: Some(110), ..SqliteOptions::new(folder.path()) };
    let limited = store(options).await;
    let bed = Bed::of(limited.clone(), ());
    let (mut written, mut failed) = (0_u32, 0);
    for n in 1..400 {
        let memory = new_memory(n, draft(&format!("heron {n} {}", "with many words ".repeat(20))));
        let result = bed
            .vaults
            .transact(&user("u"), "create", move |tx| {
                let memory = memory.clone();
                Box::pin(async move { tx.insert_memories(&[memory]).await })
            })
            .await;
        match result {
            Ok(_) => written += 1,
            Err(Error::Storage { failure: StorageFailure::Full, .. }) => failed += 1,
            Err(other) => unreachable!("{other}"),
        }
        if failed > 5 {
            break;
        }
    }
    assert!(written > 10 && failed > 5, "{written} written, {failed} refused");
    assert_eq!(bed.usage("u").await.created, u64::from(written));
    assert!(!bed.found("u", any_of(&["heron"])).await.is_empty());
    bed.vaults.close().await;
    let roomy = crate::sqlite::common::bed_in(folder.path()).await;
    roomy.insert("u", vec![new_memory(5_000, draft("room again"))]).await;
    assert_eq!(roomy.usage("u").await.created, u64::from(written) + 1);
    roomy.vaults.close().await;
}

#[tokio::test]
async fn within_the_reserve_nothing_is_added_and_what_erases_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let roomy = crate::sqlite::common::bed_in(folder.path()).await;
    let seqs = roomy.insert("u", vec![new_memory(1, draft("a heron")), new_memory(2, draft("another heron"))]).await;
    roomy.vaults.close().await;

    let tight = SqliteOptions { reserve: u64::MAX, ..SqliteOptions::new(folder.path()) };
    let tight = store(tight).await;
    for name in ["u", "new"] {
        let memory = new_memory(3, draft("no room"));
        let refused = tight
            .vaults()
            .transact(&user(name), "create", move |tx| {
                let memory = memory.clone();
                Box::pin(async move { tx.insert_memories(&[memory]).await })
            })
            .await;
        let refused = refused.unwrap_err();
        assert!(matches!(refused, Error::Storage { failure: StorageFailure::Full, .. }), "{name}: {refused}");
    }
    assert_eq!(tight.registry().users(None, 10).await.unwrap(), [user("u")], "no user without data is known");
    let erased = seqs[0];
    let (vaults, owner) = (tight.vaults(), user("u"));
    let erase = vaults.transact(&owner, "forget", move |tx| {
        Box::pin(async move { tx.erase_memories(&[erased], kimberly_store::conformance::fixtures::START).await })
    });
    erase.await.unwrap();
    let left = tight.vaults().read(&user("u"), |r| Box::pin(async move { r.usage().await })).await.unwrap();
    assert_eq!(left.deleted, 1, "{left:?}");
    tight.vaults().close().await;
}
