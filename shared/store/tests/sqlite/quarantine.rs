//! Flipped bits and truncated files: each is harmless or detected, puts only its vault in quarantine, and is resolved
//! once the file is restored.

use std::fs;
use std::path::{Path, PathBuf};

use kimberly_core::Error;
use kimberly_core::damage::Damage;
use kimberly_core::ports::By;
use kimberly_store::SqliteStore;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{START, any_state, draft, new_memory, user};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::sqlite::common::{bed_of, copy, data, encrypted};

/// Returns the whole contents of a vault as one text, or the error.
async fn everything(bed: &Bed, name: &str) -> Result<String, Error> {
    let who = user(name);
    let read = bed.vaults.read(&who, |r| {
        Box::pin(async move {
            let all = any_state();
            r.export(&all, None, 1_000, 1 << 24).await
        })
    });
    let records = read.await?;
    Ok(format!("{records:?}"))
}

/// A folder with two users, "a" with enough data to fill pages.
async fn two_users(root: &Path) -> (SqliteStore, Bed) {
    let store = encrypted(root).await;
    let bed = bed_of(&store);
    bed.remember("b", [draft("untouched")]).await;
    bed.remember("a", (0..120).map(|n| draft(&format!("memory {n} with some words to fill pages")))).await;
    (store, bed)
}

fn vault_of_a(root: &Path) -> PathBuf {
    let hash = user("a").folder_name();
    data(root).join("vaults").join(&hash[..2]).join(hash)
}

fn key_of_a(root: &Path) -> PathBuf {
    let hash = user("a").folder_name();
    data(root).join(format!("keys/users/{}/{hash}.key", &hash[..2]))
}

/// Flips a bit or truncates the file at random; returns a description.
fn harm(file: &Path, dice: &mut StdRng) -> String {
    let mut bytes = fs::read(file).unwrap();
    let at = dice.random_range(0..bytes.len());
    let done = if dice.random_bool(0.6) {
        bytes[at] ^= 1 << dice.random_range(0..8);
        format!("bit flipped at {at} of {}", bytes.len())
    } else {
        let whole = bytes.len();
        bytes.truncate(at);
        format!("cut at {at} of {whole}")
    };
    fs::write(file, bytes).unwrap();
    format!("{} {done}", file.display())
}

/// Opens the damaged folder: the vault reads as before or is refused, others are unaffected, and restoring the file
/// resolves it.
#[expect(clippy::panic, reason = "a helper of tests fails the test that calls it")]
async fn judged(root: &Path, whole: &Path, harmed: &str, a: &str, b: &str) -> Option<Damage> {
    let store = encrypted(root).await;
    let bed = bed_of(&store);
    let read = everything(&bed, "a").await;
    let quarantine = store.quarantine();
    let checked = quarantine.check(&user("a")).await;
    let damage = match (read, checked) {
        (Ok(said), Ok(found)) => {
            assert_eq!(said, a, "{harmed}: it says something else than before");
            found
        }
        (Err(Error::Quarantined { damage }), Ok(found)) => {
            assert_eq!(Some(damage), found, "{harmed}");
            Some(damage)
        }
        // The name of a ring's key was changed: this looks like a ring that lacks a key, which can be fixed.
        (Err(Error::Storage { detail, .. }), Err(_)) if detail.contains("which is not in") => None,
        other => panic!("{harmed}: {other:?}"),
    };
    let write = bed.vaults.transact(&user("a"), "test", |tx| Box::pin(async move { tx.usage().await })).await;
    if damage.is_some() {
        assert!(matches!(write, Err(Error::Quarantined { .. })), "{harmed}: {write:?}");
        let listed = quarantine.quarantined(None, 10).await.unwrap();
        assert_eq!(listed.iter().map(|one| (&one.user, Some(one.damage))).collect::<Vec<_>>(), [(&user("a"), damage)]);
        let by = By::new("key:operator", START);
        // The end of a log that lacks its last commits does not show it: then the operator may have what is left.
        if damage != Some(Damage::Log) {
            assert!(quarantine.release(&user("a"), &by).await.unwrap().is_some(), "{harmed}: it is still damaged");
        }
    }
    assert_eq!(everything(&bed, "b").await.unwrap(), b, "{harmed}: others go on");
    bed.insert("b", vec![new_memory(2, draft("goes on"))]).await;

    // Restored from the backup while the store is open: new files replace the old ones.
    if damage.is_some() {
        for name in ["memory.db-wal", "memory.db-shm"] {
            let _ = fs::remove_file(vault_of_a(root).join(name));
        }
        for (from, to) in [
            (vault_of_a(whole).join("memory.db"), vault_of_a(root).join("memory.db")),
            (vault_of_a(whole).join("memory.db-wal"), vault_of_a(root).join("memory.db-wal")),
            (key_of_a(whole), key_of_a(root)),
        ] {
            if from.exists() {
                let staged = to.with_extension("back");
                fs::copy(&from, &staged).unwrap();
                fs::rename(&staged, &to).unwrap();
            }
        }
        let by = By::new("key:operator", START);
        assert_eq!(quarantine.release(&user("a"), &by).await.unwrap(), None, "{harmed}");
        assert!(quarantine.quarantined(None, 10).await.unwrap().is_empty());
        assert_eq!(everything(&bed, "a").await.unwrap(), a, "{harmed}: what was put back");
        bed.insert("a", vec![new_memory(121, draft("goes on"))]).await;
    }
    bed.vaults.close().await;
    damage
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_flip_and_cut_at_rest_is_harmless_or_found() {
    let whole = tempfile::tempdir().unwrap();
    let (_store, bed) = two_users(whole.path()).await;
    let (a, b) = (everything(&bed, "a").await.unwrap(), everything(&bed, "b").await.unwrap());
    bed.vaults.close().await;
    let mut dice = StdRng::seed_from_u64(29);
    let mut found = Vec::new();
    for n in 0..40 {
        let root = tempfile::tempdir().unwrap();
        copy(whole.path(), root.path());
        let file = if n % 4 == 3 { key_of_a(root.path()) } else { vault_of_a(root.path()).join("memory.db") };
        let harmed = harm(&file, &mut dice);
        found.extend(judged(root.path(), whole.path(), &harmed, &a, &b).await);
    }
    for damage in [Damage::KeyFile, Damage::Pages] {
        assert!(found.contains(&damage), "no {damage}: {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_missing_of_a_log_after_a_kill_is_found_and_an_index_is_rebuilt() {
    let whole = tempfile::tempdir().unwrap();
    let (_store, bed) = two_users(whole.path()).await;
    let (a, b) = (everything(&bed, "a").await.unwrap(), everything(&bed, "b").await.unwrap());
    // As after a kill: copied files of an open vault.
    let killed = tempfile::tempdir().unwrap();
    copy(whole.path(), killed.path());
    assert!(fs::metadata(vault_of_a(killed.path()).join("memory.db-wal")).unwrap().len() > 40_000, "there is a log");
    let mut dice = StdRng::seed_from_u64(31);
    let mut found = Vec::new();
    for n in 0..40 {
        let root = tempfile::tempdir().unwrap();
        copy(killed.path(), root.path());
        let name = if n % 4 == 3 { "memory.db-shm" } else { "memory.db-wal" };
        let harmed = if n == 0 { "nothing".to_owned() } else { harm(&vault_of_a(root.path()).join(name), &mut dice) };
        let damage = judged(root.path(), killed.path(), &harmed, &a, &b).await;
        assert!(damage.is_none() || name == "memory.db-wal" && n > 0, "{harmed}: {damage:?}");
        found.extend(damage);
    }
    assert!(found.len() > 20 && found.iter().all(|damage| *damage == Damage::Log), "{found:?}");
    bed.vaults.close().await;
}

/// Opens a folder, and returns what the vault of "a" says or its damage.
async fn opened(root: &Path) -> Result<String, Error> {
    let bed = bed_of(&encrypted(root).await);
    let said = everything(&bed, "a").await;
    bed.vaults.close().await;
    said
}

/// Copies a folder, as after a kill, and changes files of the vault of "a" in the copy.
fn copied(from: &Path, change: impl FnOnce(&Path)) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    copy(from, to.path());
    change(&vault_of_a(to.path()));
    to
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_older_than_its_log_is_rebuilt_as_after_a_power_cut() {
    let root = tempfile::tempdir().unwrap();
    let (_store, bed) = two_users(root.path()).await;
    let index = vault_of_a(root.path()).join("memory.db-shm");
    let mut older = vec![fs::read(&index).unwrap()];
    bed.insert("a", vec![new_memory(200, draft("in the same log"))]).await;
    older.push(fs::read(&index).unwrap());
    // Emptied: everything is in the database.
    bed.vaults.close().await;
    let emptied = copied(root.path(), |_| {});
    let whole = opened(emptied.path()).await.unwrap();
    for stale in &older {
        for log in [None, Some(0), Some(70_000)] {
            let cut = copied(emptied.path(), |vault| {
                fs::write(vault.join("memory.db-shm"), stale).unwrap();
                if let Some(bytes) = log {
                    fs::write(vault.join("memory.db-wal"), vec![0; bytes]).unwrap();
                }
            });
            assert_eq!(opened(cut.path()).await.unwrap(), whole, "a log of {log:?} bytes");
        }
    }

    // Restarted: other salts, and fewer frames than the index claims.
    let bed = bed_of(&encrypted(root.path()).await);
    for n in 300..303 {
        bed.insert("a", vec![new_memory(n, draft("in a later log"))]).await;
        older.push(fs::read(&index).unwrap());
    }
    let now = everything(&bed, "a").await.unwrap();
    for stale in &older {
        let cut = copied(root.path(), |vault| fs::write(vault.join("memory.db-shm"), stale).unwrap());
        assert_eq!(opened(cut.path()).await.unwrap(), now);
        // An earlier build put it in quarantine.
        let blocked = copied(root.path(), |vault| {
            fs::write(vault.join("memory.db-shm"), stale).unwrap();
            fs::write(vault.join("quarantine"), "log\n").unwrap();
        });
        let store = encrypted(blocked.path()).await;
        assert_eq!(store.quarantine().check(&user("a")).await.unwrap(), Some(Damage::Log));
        assert_eq!(store.quarantine().release(&user("a"), &By::new("key:operator", START)).await.unwrap(), None);
        store.vaults().close().await;
        assert_eq!(opened(blocked.path()).await.unwrap(), now);
    }
    bed.vaults.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_shows_damage_before_its_last_commits_without_an_index_and_may_lack_its_end() {
    let root = tempfile::tempdir().unwrap();
    let (_store, bed) = two_users(root.path()).await;
    let log = vault_of_a(root.path()).join("memory.db-wal");
    let mut lengths = Vec::new();
    for n in 200..204 {
        bed.insert("a", vec![new_memory(n, draft("of a commit of its own"))]).await;
        // The log is allocated ahead: its end is after the last byte that is not zero.
        lengths.push(fs::read(&log).unwrap().iter().rposition(|byte| *byte != 0).unwrap());
    }
    let (before, end) = (lengths[0], lengths[3]);
    let by = By::new("key:operator", START);
    let damage_at = [3, 20, 40, 60, before / 2, before - 5_000];
    for at in damage_at {
        for has_index in [true, false] {
            let flipped = copied(root.path(), |vault| {
                let path = vault.join("memory.db-wal");
                let mut bytes = fs::read(&path).unwrap();
                bytes[at] ^= 1;
                fs::write(path, bytes).unwrap();
                if !has_index {
                    fs::remove_file(vault.join("memory.db-shm")).unwrap();
                }
            });
            let refused = opened(flipped.path()).await;
            assert!(matches!(refused, Err(Error::Quarantined { damage: Damage::Log })), "{at}: {refused:?}");
            let store = encrypted(flipped.path()).await;
            assert_eq!(store.quarantine().release(&user("a"), &by).await.unwrap(), Some(Damage::Log), "{at}");
            store.vaults().close().await;
        }
    }

    let cut = copied(root.path(), |vault| {
        let bytes = fs::read(vault.join("memory.db-wal")).unwrap();
        fs::write(vault.join("memory.db-wal"), &bytes[..end - 5_000]).unwrap();
    });
    assert!(matches!(opened(cut.path()).await, Err(Error::Quarantined { damage: Damage::Log })));
    let store = encrypted(cut.path()).await;
    assert_eq!(store.quarantine().release(&user("a"), &by).await.unwrap(), None, "the operator takes what is left");
    let left = everything(&bed_of(&store), "a").await.unwrap();
    assert_eq!(left.matches("of a commit of its own").count(), 3);
    store.vaults().close().await;
    bed.vaults.close().await;
}

#[tokio::test]
async fn damage_is_reported_once_and_what_may_pass_is_none() {
    let root = tempfile::tempdir().unwrap();
    let (_store, bed) = two_users(root.path()).await;
    bed.vaults.close().await;
    let database = vault_of_a(root.path()).join("memory.db");
    let whole = fs::read(&database).unwrap();
    // A ring that lacks the key can be fixed, so it causes no quarantine.
    let other = tempfile::tempdir().unwrap();
    let (_other, of_other) = two_users(other.path()).await;
    of_other.vaults.close().await;
    let right = fs::read(key_of_a(root.path())).unwrap();
    fs::copy(key_of_a(other.path()), key_of_a(root.path())).unwrap();
    let opened = encrypted(root.path()).await;
    let bed = bed_of(&opened);
    let refused = everything(&bed, "a").await.unwrap_err();
    assert!(!matches!(refused, Error::Quarantined { .. }), "{refused}");
    assert!(opened.quarantine().check(&user("a")).await.is_err());
    fs::write(key_of_a(root.path()), right).unwrap();
    assert_eq!(opened.quarantine().check(&user("a")).await.unwrap(), None);
    assert!(everything(&bed, "a").await.is_ok());
    bed.vaults.close().await;

    fs::write(&database, "no database").unwrap();
    let (one, two) = (encrypted(root.path()).await, encrypted(root.path()).await);
    for store in [&one, &two] {
        for _ in 0..3 {
            let refused = everything(&bed_of(store), "a").await.unwrap_err();
            assert!(matches!(refused, Error::Quarantined { damage: Damage::NoDatabase }), "{refused}");
        }
    }
    let told = crate::sqlite::common::system_audit(&one).await;
    let count = |action: &str| told.iter().filter(|told| *told == action).count();
    assert_eq!((count("vault.quarantine"), count("vault.release")), (1, 0), "{told:?}");
    fs::write(database.with_extension("back"), whole).unwrap();
    fs::rename(database.with_extension("back"), &database).unwrap();
    let by = By::new("key:operator", START);
    assert_eq!(two.quarantine().release(&user("a"), &by).await.unwrap(), None);
    for store in [&one, &two] {
        assert!(everything(&bed_of(store), "a").await.is_ok());
    }
    let told = crate::sqlite::common::system_audit(&one).await;
    assert!(told.contains(&"vault.release".to_owned()), "{told:?}");
    one.vaults().close().await;
    two.vaults().close().await;
}
