//! The source continues to serve during a move; its changes are copied, and errors in the target are found.

use std::time::Duration;

use kimberly_store::conformance::fixtures::{draft, new_memory, user};
use kimberly_store::moving::Moving;

use super::{Folder, close, end_of, everything, finish, open_database};
use crate::postgres::common::{Database, number, run};

/// Only changed vaults are copied again; the move is not finished while a process uses the source; then everything is
/// there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_written_meanwhile_follows() {
    let (folder, database) = (Folder::new(true), Database::make().await);
    let serving = folder.open().await;
    for who in ["ann", "bob", "cleo"] {
        serving.remember(who, [draft("heron"), draft("tea")]).await;
    }
    let moving = Moving::begin(folder.end(), end_of(&database), false).await.unwrap().unwrap();
    assert_eq!(moving.pass(&|_| ()).await.unwrap().copied, 3);
    assert_eq!(moving.pass(&|_| ()).await.unwrap().copied, 0);
    serving.set_state("bob", kimberly_core::ids::Seq(1), kimberly_core::memory::MemoryState::Deleted).await;
    serving.remember("dan", [draft("new")]).await;
    assert_eq!(moving.finish(&|_| ()).await.unwrap(), None, "a process works there");
    let again = moving.pass(&|_| ()).await.unwrap();
    assert_eq!((again.users, again.copied), (4, 2));
    let expected = everything::of(&serving).await;
    close(serving).await;
    let moved = finish(&moving).await.unwrap();
    assert_eq!((moved.users, moved.vaults), (4, 4));
    moving.close().await;
    let there = open_database(&database, &folder).await;
    super::assert_same(&expected, &everything::of(&there).await, "in the database");
    close(there).await;
    assert!(Moving::begin(folder.end(), end_of(&database), false).await.unwrap().is_none(), "it was moved before");
}

/// The same in the other direction, from a database that serves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_written_to_a_database_meanwhile_follows() {
    let (folder, database) = (Folder::new(false), Database::make().await);
    let serving = open_database(&database, &folder).await;
    serving.remember("ann", [draft("heron")]).await;
    serving.remember("bob", [draft("heron")]).await;
    let other = Folder::beside(&folder);
    let moving = Moving::begin(end_of(&database), other.end(), false).await.unwrap().unwrap();
    assert_eq!(moving.pass(&|_| ()).await.unwrap().copied, 2);
    serving.insert("bob", vec![new_memory(2, draft("tea"))]).await;
    assert_eq!(moving.finish(&|_| ()).await.unwrap(), None, "a process works there");
    let expected = everything::of(&serving).await;
    close(serving).await;
    assert_eq!(finish(&moving).await.unwrap().vaults, 2);
    moving.close().await;
    let back = other.open().await;
    super::assert_same(&expected, &everything::of(&back).await, "in the folder");
    close(back).await;
}

/// A changed byte in the target is reported with vault, table and row but without its content, and is repaired.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_byte_is_found_and_named() {
    let (folder, database) = (Folder::new(true), Database::make().await);
    let serving = folder.open().await;
    serving.remember("ann", ["one", "two", "three"].map(draft)).await;
    let expected = everything::of(&serving).await;
    for (sql, table, row) in [
        ("UPDATE kimberly.memories SET content = 'twp' WHERE seq = 2", "memories", "seq 2 differs in content"),
        ("UPDATE kimberly.memories SET score = score + 1e-12 WHERE seq = 3", "memories", "seq 3 differs in score"),
        ("DELETE FROM kimberly.changes WHERE no = 1", "changes", "no 1 is missing"),
        ("UPDATE kimberly.vaults SET settings_revision = 7", "vault", "settings_revision differs"),
    ] {
        let moving = Moving::begin(folder.end(), end_of(&database), false).await.unwrap().unwrap();
        moving.pass(&|_| ()).await.unwrap();
        run(&mut database.connect().await, sql).await;
        let told = moving.compare_all(&|_| ()).await.unwrap_err().to_string();
        assert!(told.contains(&user("ann").folder_name()) && told.contains(table) && told.contains(row), "{told}");
        assert!(!told.contains("twp") && !told.contains("ann"), "{told}");
        moving.close().await;
    }
    close(serving).await;
    super::moves(folder.end(), end_of(&database)).await.unwrap();
    let there = open_database(&database, &folder).await;
    super::assert_same(&expected, &everything::of(&there).await, "in the database");
    close(there).await;
}

/// Interrupted copies, and vaults of users that the source does not have, are removed with their folders.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vault_without_a_user_is_removed() {
    let (folder, database) = (Folder::new(false), Database::make().await);
    let serving = open_database(&database, &folder).await;
    serving.remember("ann", [draft("heron")]).await;
    let expected = everything::of(&serving).await;
    close(serving).await;
    let other = Folder::beside(&folder);
    let moving = Moving::begin(end_of(&database), other.end(), false).await.unwrap().unwrap();
    moving.pass(&|_| ()).await.unwrap();
    let vault = |who: &str| {
        let hash = user(who).folder_name();
        other.machine.data().join("vaults").join(&hash[..2]).join(&hash)
    };
    for file in ["memory.moving", "memory.db"] {
        let stray = vault(file);
        std::fs::create_dir_all(&stray).unwrap();
        std::fs::write(stray.join(file), "what nobody may read any more").unwrap();
    }
    finish(&moving).await.unwrap();
    moving.close().await;
    assert!(vault("ann").exists() && !vault("memory.moving").exists() && !vault("memory.db").exists());
    let there = other.open().await;
    super::assert_same(&expected, &everything::of(&there).await, "in the folder");
    close(there).await;
}

/// A run that lost its lock while suspended writes nothing after another run has finished and its target serves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_overtaken_run_writes_nothing() {
    let (folder, database) = (Folder::new(true), Database::make().await);
    let serving = folder.open().await;
    serving.remember("ann", [draft("heron")]).await;
    close(serving).await;
    let still = Moving::begin(folder.end(), end_of(&database), false).await.unwrap().unwrap();
    still.pass(&|_| ()).await.unwrap();
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    assert_eq!(number(&mut database.connect().await, end).await, 1, "the connection with the lock");
    let second = loop {
        match Moving::begin(folder.end(), end_of(&database), false).await {
            Ok(moving) => break moving.unwrap(),
            // The server ends the connection a moment later.
            Err(error) => assert!(error.to_string().contains("another `kimberly migrate`"), "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    finish(&second).await.unwrap();
    second.close().await;
    let there = open_database(&database, &folder).await;
    there.insert("ann", vec![new_memory(2, draft("tea"))]).await;
    let expected = everything::of(&there).await;
    let told = still.pass(&|_| ()).await.unwrap_err().to_string();
    assert!(told.contains("was lost because the connection broke"), "{told}");
    assert!(still.finish(&|_| ()).await.is_err());
    super::assert_same(&expected, &everything::of(&there).await, "in the database that serves");
    still.close().await;
    close(there).await;
}
