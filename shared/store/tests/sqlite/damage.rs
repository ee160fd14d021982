//! A damaged, foreign or misplaced file is reported precisely, and affects only its user.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;

use kimberly_core::Error;
use kimberly_core::damage::Damage;
use kimberly_core::ports::By;
use kimberly_crypto::Loads;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{START, draft, new_memory, user};
use kimberly_store::{SqliteOptions, SqliteStore};
use uuid::Uuid;

use crate::sqlite::common::{Still, bed_in, bed_of, data, databases, encrypted, execute, keys, store, system_audit};

/// Writes two users with some memories each; returns the database of "a".
async fn two_users(folder: &Path) -> std::path::PathBuf {
    let bed = bed_in(folder).await;
    bed.remember("a", (0..200).map(|n| draft(&format!("memory {n} with some words to fill pages")))).await;
    let of_a = databases(folder).pop().unwrap();
    bed.remember("b", [draft("untouched")]).await;
    bed.vaults.close().await;
    of_a
}

async fn expect_quarantine(bed: &Bed, expected: Damage) {
    let write = bed
        .vaults
        .transact(&user("a"), "test", |tx| {
            Box::pin(async move {
                tx.insert_memories(&[new_memory(999, draft("new"))]).await?;
                let (run, mut after) = (Uuid::nil(), tx.rebuild_index(Uuid::nil(), None).await?);
                while after.is_some() {
                    after = tx.rebuild_index(run, after).await?;
                }
                Ok(())
            })
        })
        .await;
    let read = bed.vaults.read(&user("a"), |r| Box::pin(r.retention_items())).await;
    for error in [write.unwrap_err(), read.unwrap_err()] {
        let Error::Quarantined { damage } = error else { unreachable!("{error}") };
        assert_eq!(damage, expected);
    }
    // Other users are unaffected.
    assert_eq!(bed.usage("b").await.created, 1);
    bed.insert("b", vec![new_memory(2, draft("goes on"))]).await;
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let database = two_users(folder.path()).await;
    std::fs::write(&database, "not a database at all".repeat(500)).unwrap();
    let bed = bed_in(folder.path()).await;
    expect_quarantine(&bed, Damage::NoDatabase).await;
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_vault_that_is_gone_is_no_user_without_one() {
    for folder_too in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let database = two_users(folder.path()).await;
        let (of_a, aside) = (database.parent().unwrap(), folder.path().join("aside"));
        let store = store(SqliteOptions::new(folder.path())).await;
        let bed = bed_of(&store);
        // The file vanishes while it is open.
        assert_eq!(bed.usage("a").await.created, 200);
        let lost = if folder_too { of_a } else { &database };
        std::fs::rename(lost, &aside).unwrap();
        expect_quarantine(&bed, Damage::Missing).await;
        let quarantine = store.quarantine();
        assert_eq!(quarantine.check(&user("a")).await.unwrap(), Some(Damage::Missing));
        assert_eq!(quarantine.quarantined(None, 9).await.unwrap().len(), 1);
        assert_eq!(system_audit(&store).await, ["vault.quarantine"]);
        let by = By::new("key:operator", START);
        assert_eq!(quarantine.release(&user("a"), &by).await.unwrap(), Some(Damage::Missing));
        // Once restored, it is as before.
        let file = if folder_too { aside.join("memory.db") } else { aside };
        std::fs::rename(file, &database).unwrap();
        assert_eq!(quarantine.release(&user("a"), &by).await.unwrap(), None);
        assert_eq!(bed.usage("a").await.created, 200);
        bed.vaults.close().await;
    }
}

#[tokio::test]
async fn a_look_at_all_files_finds_a_vault_that_is_gone_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let database = two_users(folder.path()).await;
    std::fs::remove_dir_all(database.parent().unwrap()).unwrap();
    let store = store(SqliteOptions::new(folder.path())).await;
    let bed = bed_of(&store);
    // A user who never wrote has no vault, however often it is requested.
    assert_eq!(bed.usage("nobody").await.created, 0);
    let nobody = user("nobody");
    let ended = bed.vaults.transact_existing(&nobody, "test", |tx| Box::pin(async move { tx.usage().await }));
    assert!(ended.await.unwrap().is_none());
    assert_eq!(store.look_at_files().await.unwrap(), 0);
    let found = store.quarantine().quarantined(None, 9).await.unwrap();
    assert_eq!(found.iter().map(|one| (&one.user, one.damage)).collect::<Vec<_>>(), [(&user("a"), Damage::Missing)]);
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_user_who_came_after_what_a_backup_copied_of_vaults_is_new_again() {
    let folder = tempfile::tempdir().unwrap();
    let database = two_users(folder.path()).await;
    std::fs::remove_dir_all(database.parent().unwrap()).unwrap();
    let restored = folder.path().join(kimberly_core::damage::RESTORED);
    std::fs::write(&restored, "").unwrap();
    let store = store(SqliteOptions::new(folder.path())).await;
    let bed = bed_of(&store);
    assert_eq!(bed.usage("a").await.created, 0);
    for name in ["a", "b"] {
        store.forget_vaultless(&user(name)).await.unwrap();
    }
    std::fs::remove_file(&restored).unwrap();
    assert_eq!(store.registry().users(None, 9).await.unwrap(), [user("b")]);
    assert_eq!((bed.usage("a").await.created, bed.usage("b").await.created), (0, 1));
    bed.insert("a", vec![new_memory(1, draft("a new beginning"))]).await;
    assert_eq!(store.registry().users(None, 9).await.unwrap().len(), 2);
    bed.vaults.close().await;
}

#[tokio::test]
async fn overwritten_pages_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let database = two_users(folder.path()).await;
    let pages = std::fs::metadata(&database).unwrap().len() / 4096;
    let mut file = std::fs::File::options().write(true).open(&database).unwrap();
    for page in 1..pages {
        file.seek(SeekFrom::Start(page * 4096)).unwrap();
        file.write_all(&[0xA5; 4096]).unwrap();
    }
    drop(file);
    let bed = bed_in(folder.path()).await;
    expect_quarantine(&bed, Damage::Pages).await;
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_vault_that_shrinks_while_it_is_open_harms_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let database = two_users(folder.path()).await;
    let bed = bed_in(folder.path()).await;
    bed.usage("a").await;
    std::fs::File::options().write(true).open(&database).unwrap().set_len(8192).unwrap();
    let read = bed.vaults.read(&user("a"), |r| Box::pin(r.retention_items())).await;
    assert!(matches!(read, Err(Error::Storage { .. } | Error::Quarantined { .. })), "{read:?}");
    assert_eq!(bed.usage("b").await.created, 1);
    bed.vaults.close().await;
}

#[tokio::test]
async fn an_empty_file_is_not_a_vault() {
    let folder = tempfile::tempdir().unwrap();
    let database = two_users(folder.path()).await;
    std::fs::write(&database, "").unwrap();
    let bed = bed_in(folder.path()).await;
    expect_quarantine(&bed, Damage::NoDatabase).await;
    bed.vaults.close().await;
}

#[tokio::test]
async fn another_programs_database_is_not_a_vault() {
    let folder = tempfile::tempdir().unwrap();
    let database = two_users(folder.path()).await;
    execute(&database, "PRAGMA application_id = 42").await;
    let bed = bed_in(folder.path()).await;
    expect_quarantine(&bed, Damage::NoDatabase).await;
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_vault_folder_under_another_users_path_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let of_a = two_users(folder.path()).await;
    let of_b = databases(folder.path()).into_iter().find(|path| *path != of_a).unwrap();
    std::fs::copy(&of_b, &of_a).unwrap();
    let bed = bed_in(folder.path()).await;
    expect_quarantine(&bed, Damage::Misplaced).await;
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_damaged_template_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    two_users(folder.path()).await;
    let template = folder.path().join("vaults/empty-v1.db");
    std::fs::write(&template, "damaged").unwrap();
    let bed = bed_in(folder.path()).await;
    bed.remember("c", [draft("new user")]).await;
    assert_eq!(bed.usage("c").await.created, 1);
    assert_eq!(bed.usage("nobody").await.created, 0);
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_flipped_bit_in_any_page_of_the_registry_is_noticed_and_the_file_named() {
    let root = tempfile::tempdir().unwrap();
    let store = encrypted(root.path()).await;
    let bed = bed_of(&store);
    for n in 0..20 {
        bed.remember(&format!("user-{n}"), [draft("something")]).await;
    }
    assert!(store.quarantine().registry_is_whole().await.unwrap());
    bed.vaults.close().await;
    let path = data(root.path()).join("system.db");
    let whole = std::fs::read(&path).unwrap();
    let mut told = 0;
    for page in 0..whole.len() / 4_096 {
        let mut flipped = whole.clone();
        flipped[page * 4_096 + 1_111] ^= 4;
        std::fs::write(&path, flipped).unwrap();
        let options = SqliteOptions { keys: keys(root.path(), Loads::Both), ..SqliteOptions::new(data(root.path())) };
        match SqliteStore::open(options, Arc::new(Still)).await {
            Ok(store) => {
                assert!(
                    !store.quarantine().registry_is_whole().await.unwrap(),
                    "page {page} of {}",
                    whole.len() / 4_096
                );
                store.vaults().close().await;
            }
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("system.db is damaged: stop Kimberly"), "page {page}: {error}");
                told += 1;
            }
        }
    }
    assert!(whole.len() > 10 * 4_096 && told > 0, "{} bytes, {told} told", whole.len());
}
