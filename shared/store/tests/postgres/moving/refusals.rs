//! Impossible moves are refused with instructions.

use std::sync::Arc;

use super::{Folder, close, end_of, open_database};
use crate::postgres::common::{Database, Still, run};
use kimberly_store::conformance::fixtures::draft;
use kimberly_store::moving::{End, Moving};
use kimberly_store::{PgOptions, PgStore};

async fn refusal(from: End, to: End) -> String {
    Moving::begin(from, to, false).await.map(drop).unwrap_err().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unsuitable_targets_are_refused_with_what_to_do() {
    let (folder, database) = (Folder::new(true), Database::make().await);
    let serving = folder.open().await;
    serving.remember("ann", [draft("heron")]).await;
    let nothing = Folder::beside(&folder);
    let told = refusal(nothing.end(), end_of(&database)).await;
    assert!(told.contains("nothing to move") && told.contains("no system.db"), "{told}");
    let bad = PgOptions::new("postgres://ada:secret@:bad:port");
    let told = refusal(folder.end(), End::Database(Box::new(bad))).await;
    assert!(told.contains("has an invalid port") && !told.contains("secret"), "{told}");
    let other = Folder::new(false);
    let there = open_database(&database, &other).await;
    there.remember("bob", [draft("tea")]).await;
    let told = refusal(folder.end(), end_of(&database)).await;
    assert!(told.contains("processes of Kimberly"), "{told}");
    close(there).await;
    let told = refused_once_free(|| folder.end(), || end_of(&database)).await;
    assert!(told.contains("is not empty") && told.contains("postgres.schema"), "{told}");
    let told = refusal(end_of(&Database::make().await), folder.end()).await;
    assert!(told.contains("processes of Kimberly"), "{told}");
    close(serving).await;
    let told = refused_once_free(|| end_of(&database), || folder.end()).await;
    assert!(told.contains("is not empty"), "{told}");
}

/// Connections of a closed store end a moment later.
async fn refused_once_free(from: impl Fn() -> End, to: impl Fn() -> End) -> String {
    loop {
        let told = refusal(from(), to()).await;
        if !told.contains("processes of Kimberly") {
            return told;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// A side that was left, or is half filled, can neither be opened nor moved; other installations are refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sides_that_were_left_or_are_half_filled_are_refused() {
    let (folder, database) = (Folder::new(false), Database::make().await);
    let serving = folder.open().await;
    serving.remember("ann", [draft("heron")]).await;
    let moving = Moving::begin(folder.end(), end_of(&database), false).await.unwrap().unwrap();
    moving.pass(&|_| ()).await.unwrap();
    let open = || PgStore::open(database.options(), Arc::new(Still));
    let told = open().await.unwrap_err().to_string();
    assert!(told.contains("is not complete") && told.contains("kimberly migrate"), "{told}");
    moving.close().await;
    let other = Folder::new(false);
    close(other.open().await).await;
    let told = refused_once_free(|| other.end(), || end_of(&database)).await;
    assert!(told.contains("another installation"), "{told}");
    close(serving).await;
    super::moves(folder.end(), end_of(&database)).await.unwrap();
    let told = folder.try_open().await.unwrap_err().to_string();
    assert!(told.contains("was moved to postgres://") && told.contains("remove the file"), "{told}");
    let third = Database::make().await;
    let told = refused_once_free(|| folder.end(), || end_of(&third)).await;
    assert!(told.contains("was moved to postgres://"), "{told}");
    // Undone as the message says.
    std::fs::remove_file(folder.machine.data().join("moved")).unwrap();
    close(folder.open().await).await;

    let back = Folder::beside(&folder);
    super::moves(end_of(&database), back.end()).await.unwrap();
    let told = open().await.unwrap_err().to_string();
    assert!(told.contains("was moved to /") && told.contains("DELETE FROM \"kimberly\".moves"), "{told}");
    run(&mut database.connect().await, "DELETE FROM \"kimberly\".moves").await;
    drop(open().await.unwrap());
    assert!(back.machine.data().join("vaults/.restored").exists(), "what was under way is taken up");
}

/// A vault in quarantine is named, and so are attachments beside a vault.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vaults_that_cannot_be_moved_are_named() {
    let (folder, database) = (Folder::new(false), Database::make().await);
    let serving = folder.open().await;
    serving.remember("ann", [draft("heron")]).await;
    close(serving).await;
    let hash = kimberly_store::conformance::fixtures::user("ann").folder_name();
    let vault = folder.machine.data().join("vaults").join(&hash[..2]).join(&hash);
    let moving = Moving::begin(folder.end(), end_of(&database), false).await.unwrap().unwrap();
    std::fs::write(vault.join("quarantine"), "page 7\n").unwrap();
    let told = moving.pass(&|_| ()).await.unwrap_err().to_string();
    assert!(told.contains(&hash) && told.contains("quarantine") && told.contains("kimberly vaults"), "{told}");
    std::fs::remove_file(vault.join("quarantine")).unwrap();
    std::fs::create_dir(vault.join("attachments")).unwrap();
    std::fs::write(vault.join("attachments/some"), "x").unwrap();
    let told = moving.pass(&|_| ()).await.unwrap_err().to_string();
    assert!(told.contains(&hash) && told.contains("attachments"), "{told}");
    std::fs::remove_dir_all(vault.join("attachments")).unwrap();
    std::fs::write(vault.join("purging"), "x").unwrap();
    assert_eq!(moving.pass(&|_| ()).await.unwrap().purging, 1);
    let told = super::finish(&moving).await.unwrap_err().to_string();
    assert!(told.contains("being purged"), "{told}");
    moving.close().await;
}
