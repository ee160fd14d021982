//! A registry that was lost, or put back from an older copy, is noticed, and rebuilt from the folders of vaults.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use kimberly_core::Error;
use kimberly_core::error::StorageFailure;
use kimberly_crypto::{Keys, Loads};
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{draft, user};
use kimberly_store::{Registered, SqliteOptions, SqliteStore};

use crate::sqlite::common::{Still, bed_of, copy, data, encrypted, keys, system_audit};

fn options(root: &Path) -> SqliteOptions {
    SqliteOptions { keys: keys(root, Loads::Both), ..SqliteOptions::new(data(root)) }
}

async fn refusal(root: &Path) -> String {
    match SqliteStore::open(options(root), Arc::new(Still)).await {
        Err(Error::Storage { failure: StorageFailure::Corrupt, detail }) => detail,
        opened => format!("{opened:?}"),
    }
}

async fn register(root: &Path) -> Registered {
    SqliteStore::register_vaults(options(root), Arc::new(Still)).await.unwrap()
}

fn without_registry(root: &Path) {
    for name in ["system.db", "system.db-wal", "system.db-shm"] {
        let _ = fs::remove_file(data(root).join(name));
    }
}

/// Opens the store, works on it, and closes it, so that nothing holds the folder any more.
async fn within(root: &Path, work: impl AsyncFnOnce(&SqliteStore, &Bed)) {
    let store = encrypted(root).await;
    let bed = bed_of(&store);
    work(&store, &bed).await;
    bed.vaults.close().await;
}

async fn remember(bed: &Bed, names: &[&str]) {
    for name in names {
        bed.remember(name, [draft(&format!("a memory of {name}"))]).await;
    }
}

#[tokio::test]
async fn a_lost_registry_is_refused_and_rebuilt_from_the_folders() {
    let root = tempfile::tempdir().unwrap();
    let (file, logless) = (data(root.path()).join("system.db"), root.path().join("logless.db"));
    within(root.path(), async |_, bed| {
        remember(bed, &["a", "b", "c"]).await;
        // The log holds everything so far.
        fs::copy(&file, &logless).unwrap();
    })
    .await;
    for lost in ["missing", "empty", "without its log"] {
        without_registry(root.path());
        match lost {
            "empty" => fs::write(&file, "").unwrap(),
            "without its log" => drop(fs::copy(&logless, &file).unwrap()),
            _ => {}
        }
        for _ in 0..2 {
            let refused = refusal(root.path()).await;
            assert!(refused.contains("holds 3 vaults") && refused.contains("vaults register"), "{lost}: {refused}");
        }
        let mut registered = register(root.path()).await;
        registered.users.sort();
        assert_eq!(registered, Registered { users: ["a", "b", "c"].map(user).to_vec(), known: 0, left: Vec::new() });
        within(root.path(), async |store, bed| {
            assert_eq!(store.registry().users(None, 9).await.unwrap(), ["a", "b", "c"].map(user));
            assert_eq!(store.registry().pending_outboxes(9).await.unwrap().len(), 3, "their jobs are taken up");
            assert_eq!(system_audit(store).await, ["vaults.register"]);
            assert_eq!(bed.usage("b").await.created, 1);
        })
        .await;
    }
    assert_eq!(register(root.path()).await, Registered { users: Vec::new(), known: 3, left: Vec::new() });
}

#[tokio::test]
async fn an_older_registry_does_not_know_all_vaults_and_is_told() {
    let root = tempfile::tempdir().unwrap();
    let old = root.path().join("old");
    fs::create_dir(&old).unwrap();
    within(root.path(), async |_, bed| remember(bed, &["a"]).await).await;
    fs::copy(data(root.path()).join("system.db"), old.join("system.db")).unwrap();
    within(root.path(), async |store, bed| {
        remember(bed, &["b", "c"]).await;
        assert_eq!(store.quarantine().unregistered().await.unwrap(), 0);
    })
    .await;
    without_registry(root.path());
    copy(&old, &data(root.path()));
    within(root.path(), async |store, _| {
        assert_eq!(store.quarantine().unregistered().await.unwrap(), 2);
        let refused = SqliteStore::register_vaults(options(root.path()), Arc::new(Still)).await.unwrap_err();
        assert!(refused.to_string().contains("stop them first"), "{refused}");
    })
    .await;
    let registered = register(root.path()).await;
    assert_eq!((registered.users.len(), registered.known, registered.left.len()), (2, 1, 0));
    within(root.path(), async |store, _| assert_eq!(store.quarantine().unregistered().await.unwrap(), 0)).await;
}

#[tokio::test]
async fn vaults_that_name_no_user_are_left_with_the_reason() {
    let root = tempfile::tempdir().unwrap();
    let folder = |name: &str| {
        let hash = user(name).folder_name();
        data(root.path()).join("vaults").join(&hash[..2]).join(&hash)
    };
    within(root.path(), async |_, bed| {
        remember(bed, &["a", "damaged", "keyless", "purged", "quarantined"]).await;
        // Its vault is created, but nothing is ever written there.
        let empty = user("empty");
        let write = bed.vaults.transact(&empty, "test", |_| Box::pin(async { Err::<(), _>(Error::Purging) }));
        write.await.unwrap_err();
    })
    .await;
    let hash = user("keyless").folder_name();
    fs::remove_file(data(root.path()).join(format!("keys/users/{}/{hash}.key", &hash[..2]))).unwrap();
    fs::write(folder("damaged").join("memory.db"), "no vault".repeat(1_000)).unwrap();
    fs::write(folder("purged").join("purging"), "a purge").unwrap();
    fs::write(folder("quarantined").join("quarantine"), "pages\n").unwrap();
    // The vault of another user.
    copy(&folder("a"), &data(root.path()).join("vaults/00").join("0".repeat(64)));

    without_registry(root.path());
    let mut registered = register(root.path()).await;
    registered.users.sort();
    assert_eq!(registered.users, ["a", "quarantined"].map(user), "{registered:?}");
    assert!(folder("empty").join("memory.db").exists());
    let why = |name: &str| {
        let found = registered.left.iter().find(|(folder, _)| folder.ends_with(&user(name).folder_name()));
        found.map(|(_, why)| why.clone()).unwrap_or_default()
    };
    assert_eq!(registered.left.len(), 4, "{registered:?}");
    assert!(why("keyless").contains("key file is missing"), "{registered:?}");
    assert!(why("damaged").contains("does not open"), "{registered:?}");
    assert!(why("purged").contains("purge the user again"), "{registered:?}");
    within(root.path(), async |store, _| {
        let listed = store.quarantine().quarantined(None, 9).await.unwrap();
        assert_eq!(listed.iter().map(|one| &one.user).collect::<Vec<_>>(), [&user("quarantined")]);
        assert_eq!(store.quarantine().unregistered().await.unwrap(), 3, "those that are being purged do not count");
    })
    .await;
}

#[tokio::test]
async fn a_new_folder_starts_without_encryption_and_a_lost_registry_is_refused_there_too() {
    let folder = tempfile::tempdir().unwrap();
    let options = || SqliteOptions { keys: Keys::off(), ..SqliteOptions::new(folder.path()) };
    let store = SqliteStore::open(options(), Arc::new(Still)).await.unwrap();
    let bed = bed_of(&store);
    remember(&bed, &["a"]).await;
    // The registry vanishes while it is open: it is not created again in its place.
    for name in ["system.db", "system.db-wal", "system.db-shm"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    assert!(!store.quarantine().registry_is_whole().await.unwrap());
    bed.vaults.close().await;
    drop((store, bed));
    let refused = SqliteStore::open(options(), Arc::new(Still)).await.unwrap_err().to_string();
    assert!(refused.contains("system.db is missing, but") && refused.contains("holds a vault"), "{refused}");
    assert!(!folder.path().join("system.db").exists());
}

#[tokio::test]
async fn a_folder_that_cannot_be_looked_at_is_neither_lost_nor_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(SqliteOptions::new(folder.path()), Arc::new(Still)).await.unwrap();
    let bed = bed_of(&store);
    remember(&bed, &["a"]).await;
    let hash = user("a").folder_name();
    let (vault, aside) = (folder.path().join("vaults").join(&hash[..2]).join(&hash), folder.path().join("aside"));
    fs::rename(&vault, &aside).unwrap();
    // Every look ends with ELOOP, as it ends with other errors while a disk or a process is in trouble.
    symlink(&vault, &vault).unwrap();
    let read = bed.vaults.read(&user("a"), |r| Box::pin(async move { r.usage().await })).await;
    assert!(matches!(read, Err(Error::Storage { failure: StorageFailure::Unavailable, .. })), "{read:?}");
    let write = bed.vaults.transact(&user("a"), "test", |tx| Box::pin(async move { tx.usage().await })).await;
    assert!(matches!(write, Err(Error::Storage { failure: StorageFailure::Unavailable, .. })), "{write:?}");
    assert!(store.quarantine().check(&user("a")).await.is_err());
    assert_eq!(store.look_at_files().await.unwrap(), 1, "it is looked at again");
    fs::remove_file(&vault).unwrap();
    fs::rename(&aside, &vault).unwrap();
    assert_eq!(bed.usage("a").await.created, 1);
    assert!(store.quarantine().quarantined(None, 9).await.unwrap().is_empty());
    bed.vaults.close().await;
}
