//! Purges in files and between processes.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::audit::AuditEntry;
use kimberly_core::error::{Error, Result};
use kimberly_core::ports::{By, Clock, ErasesUsers};
use kimberly_core::usecases::purge::{Elsewhere, run_purge};
use kimberly_core::{PurgeId, UserId};
use kimberly_crypto::Loads;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{any_of, at, draft, new_memory, user};

use crate::sqlite::common::{Still, app, bed_in, data, databases, encrypted_bed_in, execute, files, keys, words_in};

struct Nothing;

#[async_trait]
impl ErasesUsers for Nothing {
    async fn erase(&self, _: &UserId) -> Result<()> {
        Ok(())
    }
}

const PURGE: PurgeId = PurgeId(uuid::Uuid::from_u128(1));

async fn begin(bed: &Bed, who: &str) {
    bed.purges.begin(PURGE, &user(who), &By::new("open", at(5))).await.unwrap();
}

async fn carry_out(bed: &Bed) -> kimberly_core::erasure::Purge {
    let clock: &dyn Clock = &Still;
    let elsewhere = Elsewhere { vectors: Arc::new(Nothing), attachments: Arc::new(Nothing), jobs: Arc::new(Nothing) };
    run_purge(&*bed.purges, &elsewhere, clock, PURGE).await.unwrap()
}

/// Counts files that belong to vaults.
fn of_vaults(folder: &Path) -> usize {
    let depth = folder.join("vaults").components().count();
    files(&folder.join("vaults")).iter().filter(|path| path.components().count() > depth + 2).count()
}

#[tokio::test]
async fn nothing_of_a_purged_user_stands_in_any_byte_of_any_file() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    let words = ["xylothumb", "quibblezorp", "tobepurged"];
    let secrets = (0..200).map(|n| draft(&format!("my xylothumb {n} is a quibblezorp")));
    bed.remember("tobepurged", secrets).await;
    bed.remember("kept", [draft("a word that stays")]).await;
    for word in words {
        assert!(!words_in(folder.path(), &[word]).is_empty(), "the test sees {word}");
    }
    begin(&bed, "tobepurged").await;
    let receipt = carry_out(&bed).await;
    let left = words_in(folder.path(), &words);
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(databases(folder.path()).len(), 1, "the other vault is there");
    assert_eq!(receipt.erased.rows.get("memories"), Some(&200));
    bed.vaults.close().await;
}

#[tokio::test]
async fn the_key_goes_and_a_copy_of_the_vault_cannot_be_read_any_more() {
    let root = tempfile::tempdir().unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    bed.remember("u", [draft("one walrus")]).await;
    let hash = user("u").folder_name();
    let opened = keys(root.path(), Loads::Both);
    assert!(opened.user(&hash).unwrap().is_some());
    begin(&bed, "u").await;
    let receipt = carry_out(&bed).await;
    assert!(receipt.erased.key_file);
    assert!(opened.user(&hash).unwrap().is_none());
    assert_eq!(of_vaults(&data(root.path())), 0);
    bed.remember("u", [draft("another walrus")]).await;
    assert_eq!(bed.found("u", any_of(&["walrus"])).await.len(), 1, "under a new key");
    bed.vaults.close().await;
}

/// Another process that has the vault open never acknowledges a lost write, never reads purged data, and recognizes a
/// later vault as new.
#[tokio::test]
async fn another_process_that_has_the_vault_open_notices() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (bed_in(folder.path()).await, bed_in(folder.path()).await);
    one.remember("u", [draft("one walrus"), draft("two walrus")]).await;
    assert_eq!(two.found("u", any_of(&["walrus"])).await.len(), 2);
    let version = two.read("u", |r| Box::pin(r.data_version())).await;
    begin(&one, "u").await;
    let refused = two.vaults.read(&user("u"), |r| Box::pin(r.usage())).await;
    assert!(matches!(refused, Err(Error::Purging)), "{refused:?}");
    carry_out(&one).await;
    assert_eq!(two.found("u", any_of(&["walrus"])).await.len(), 0);
    assert_eq!(of_vaults(folder.path()), 0, "and a read makes nothing");
    two.remember("u", [draft("a new walrus")]).await;
    for bed in [&one, &two] {
        assert_eq!(bed.usage("u").await.created, 1);
        assert_eq!(bed.found("u", any_of(&["walrus"])).await.len(), 1);
    }
    let again = two.read("u", |r| Box::pin(r.data_version())).await;
    assert_ne!(again, version, "what was kept of the old vault is not taken for this one");
    one.vaults.close().await;
    two.vaults.close().await;
}

/// A transaction that runs when the purge begins is committed before it or refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_under_way_come_before_the_purge_or_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (bed_in(folder.path()).await, bed_in(folder.path()).await);
    one.remember("u", [draft("one walrus")]).await;
    two.insert("u", vec![new_memory(2, draft("two walrus"))]).await;
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (go, may_end) = tokio::sync::oneshot::channel::<()>();
    let (vaults, mut ends) = (Arc::clone(&two.vaults), Some((begun, may_end)));
    let writing = tokio::spawn(async move {
        let owner = user("u");
        let write = vaults.transact(&owner, "test", move |tx| {
            let ends = ends.take();
            Box::pin(async move {
                if let Some((begun, may_end)) = ends {
                    begun.send(()).unwrap();
                    may_end.await.unwrap();
                }
                tx.put_settings(&kimberly_core::settings::UserSettings::default()).await
            })
        });
        write.await
    });
    has_begun.await.unwrap();
    begin(&one, "u").await;
    let emptied = one.purges.empty_vault(&user("u"), PURGE).await.unwrap();
    assert_eq!(emptied.rows.get("memories"), Some(&2));
    go.send(()).unwrap();
    let late = writing.await.unwrap();
    assert!(matches!(late, Err(Error::Purging)), "{late:?}");
    let receipt = carry_out(&one).await;
    assert_eq!(receipt.erased.rows.get("memories"), Some(&2), "counted once, by the transaction that deleted");
    one.vaults.close().await;
    two.vaults.close().await;
}

/// Heads of the old vault in the system's audit do not apply to the new vault, whose chain has the same name.
#[tokio::test]
async fn a_user_who_returns_after_a_purge_is_held_to_heads_anchored_since() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    let held = async || {
        let check = app(&bed);
        let ports = (&*bed.audit, &*bed.purges);
        let verdict = check.verify_anchored_audit(&user("u"), None, ports).await.unwrap();
        (verdict.anchors, verdict.verification.found)
    };
    let audited = async |no: i64| {
        let entry = move || AuditEntry { at: at(no), ..entry_of("memory.create") };
        bed.write("u", move |tx| Box::pin(async move { tx.audit(&entry()).await })).await;
    };
    audited(1).await;
    app(&bed).anchor_audit(&user("u"), &*bed.audit).await.unwrap();
    assert_eq!(held().await, (1, 0));
    begin(&bed, "u").await;
    carry_out(&bed).await;
    audited(2).await;
    assert_eq!(held().await, (0, 0));
    app(&bed).anchor_audit(&user("u"), &*bed.audit).await.unwrap();
    assert_eq!(held().await, (1, 0));
    // A receipt with a wrong hash has no effect.
    execute(&folder.path().join("system.db"), "UPDATE purges SET audit_hash = zeroblob(32)").await;
    assert_eq!(held().await, (2, 1));
    bed.vaults.close().await;
}

fn entry_of(action: &'static str) -> AuditEntry {
    AuditEntry { at: at(0), actor: "open".into(), action, refused: None, subject: None, count: 1 }
}

/// Work that started before a purge and ends after it creates no vault, in any process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_that_ends_after_a_purge_creates_no_vault() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (bed_in(folder.path()).await, bed_in(folder.path()).await);
    one.remember("u", [draft("one walrus")]).await;
    let owner = user("u");
    let end = |bed: &Bed| {
        let (vaults, owner) = (Arc::clone(&bed.vaults), owner.clone());
        async move {
            let write = vaults.transact_existing(&owner, "test", |tx| {
                Box::pin(async move { tx.put_settings(&kimberly_core::settings::UserSettings::default()).await })
            });
            write.await
        }
    };
    for bed in [&one, &two] {
        assert!(end(bed).await.unwrap().is_some(), "the vault is there");
    }
    begin(&one, "u").await;
    assert!(matches!(end(&two).await, Err(Error::Purging)));
    carry_out(&one).await;
    for bed in [&one, &two] {
        assert!(end(bed).await.unwrap().is_none());
        assert!(bed.registry.users(None, 10).await.unwrap().is_empty());
    }
    assert_eq!(of_vaults(folder.path()), 0);
    one.vaults.close().await;
    two.vaults.close().await;
}

#[tokio::test]
async fn a_damaged_vault_is_purged_uncounted() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    bed.remember("u", [draft("one walrus")]).await;
    bed.vaults.close().await;
    let path = databases(folder.path()).remove(0);
    std::fs::write(&path, "no database".repeat(1_000)).unwrap();
    let bed = bed_in(folder.path()).await;
    begin(&bed, "u").await;
    let receipt = carry_out(&bed).await;
    assert!(receipt.erased.unreadable && receipt.erased.rows.is_empty());
    assert_eq!(of_vaults(folder.path()), 0);
    bed.remember("u", [draft("another walrus")]).await;
    bed.vaults.close().await;
}
