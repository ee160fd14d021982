//! Erased data is gone from the files, not only from the tables.

use std::path::Path;
use std::time::Duration;

use kimberly_core::meditation::Kind;
use kimberly_core::memory::MemoryState;
use kimberly_store::SqliteOptions;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{any_of, at, decide, draft, new_memory, user};

use crate::sqlite::common::{bed_in, copy, files, store, words_in};

/// Words found nowhere else. The full-text index contains their stems.
const SECRETS: [&str; 4] = ["xylothumb", "quibblezorp", "speakerzilla", "sessionwock"];

async fn with_secrets(bed: &Bed) {
    let mut secret = draft("my xylothumb is a quibblezorp");
    secret.speaker = Some("Speakerzilla".to_owned());
    secret.session_id = Some("sessionwock".to_owned());
    let others = (0..300).map(|n| draft(&format!("ordinary words number {n} that stay")));
    bed.remember("u", [secret].into_iter().chain(others)).await;
    for n in 1_000..1_040 {
        bed.insert("u", vec![new_memory(n, draft("some more to make segments merge"))]).await;
    }
}

fn traces(folder: &Path) -> Vec<String> {
    words_in(folder, &SECRETS)
}

/// Asserts that no secret is left in any file, at the latest after six seconds.
async fn assert_no_traces_soon(folder: &Path) {
    for _ in 0..300 {
        if traces(folder).is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_no_traces(folder);
}

fn assert_no_traces(folder: &Path) {
    let left = traces(folder);
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn erased_words_leave_no_byte_in_any_file() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    with_secrets(&bed).await;
    assert_eq!(traces(folder.path()).len() / SECRETS.len(), 1, "the test can see what it looks for");
    bed.set_state("u", kimberly_core::ids::Seq(1), MemoryState::Deleted).await;
    let memory = bed.memory("u", 1).await.unwrap();
    bed.decide("u", 1, vec![decide(&memory, Kind::Delete)], at(9)).await;
    // The log is emptied right after the commit, without delaying any caller.
    assert_no_traces_soon(folder.path()).await;
    assert_eq!(bed.usage("u").await.created, 341);
    assert_eq!(bed.found("u", any_of(&["ordinary"])).await.len(), 100);
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_reader_in_the_way_delays_but_does_not_prevent_it() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions { writer_idle: Duration::from_millis(100), ..SqliteOptions::new(folder.path()) };
    let store = store(options).await;
    let bed = Bed::of(store.clone(), ());
    with_secrets(&bed).await;
    let memory = bed.memory("u", 1).await.unwrap();
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (go, may_end) = tokio::sync::oneshot::channel::<()>();
    let (vaults, mut ends) = (store.vaults(), Some((begun, may_end)));
    let reading = tokio::spawn(async move {
        vaults
            .read(&user("u"), move |r| {
                let (begun, may_end) = ends.take().unwrap();
                Box::pin(async move {
                    r.usage().await?;
                    begun.send(()).unwrap();
                    may_end.await.unwrap();
                    r.usage().await
                })
            })
            .await
            .unwrap()
    });
    has_begun.await.unwrap();
    bed.decide("u", 1, vec![decide(&memory, Kind::Delete)], at(9)).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!traces(folder.path()).is_empty(), "the reader still needs the old pages");
    go.send(()).unwrap();
    assert_eq!(reading.await.unwrap().deleted, 0);
    bed.insert("u", vec![new_memory(2_000, draft("the next write"))]).await;
    assert_no_traces_soon(folder.path()).await;
    bed.vaults.close().await;
}

/// Erases memory 1 at its owner's request.
async fn forget_first(bed: &Bed) {
    bed.write("u", |tx| Box::pin(async move { tx.erase_memories(&[kimberly_core::ids::Seq(1)], at(9)).await })).await;
}

#[tokio::test]
async fn what_its_owner_erases_is_gone_from_the_files_as_soon_as_the_log_is_said_to_be_empty() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    with_secrets(&bed).await;
    assert!(!traces(folder.path()).is_empty(), "the test can see what it looks for");
    forget_first(&bed).await;
    assert!(bed.vaults.empty_log(&user("u")).await.unwrap());
    assert_no_traces(folder.path());
    // A missing log counts as empty, and the call creates no vault.
    assert!(bed.vaults.empty_log(&user("u")).await.unwrap());
    assert!(bed.vaults.empty_log(&user("nobody")).await.unwrap());
    assert_eq!(files(folder.path()).iter().filter(|path| path.ends_with("memory.db")).count(), 1);
    bed.vaults.close().await;
}

/// Starts a read that ends on request.
fn hold_by_a_read(
    bed: &Bed,
    begun: tokio::sync::oneshot::Sender<()>,
    may_end: tokio::sync::oneshot::Receiver<()>,
) -> tokio::task::JoinHandle<()> {
    let (vaults, mut ends) = (std::sync::Arc::clone(&bed.vaults), Some((begun, may_end)));
    tokio::spawn(async move {
        let owner = user("u");
        let read = vaults.read(&owner, move |r| {
            let (begun, may_end) = ends.take().unwrap();
            Box::pin(async move {
                r.usage().await?;
                begun.send(()).unwrap();
                may_end.await.unwrap();
                r.usage().await
            })
        });
        read.await.unwrap();
    })
}

#[tokio::test]
async fn a_log_that_a_reader_holds_is_said_not_to_be_empty() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    with_secrets(&bed).await;
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (go, may_end) = tokio::sync::oneshot::channel::<()>();
    let reading = hold_by_a_read(&bed, begun, may_end);
    has_begun.await.unwrap();
    forget_first(&bed).await;
    assert!(!bed.vaults.empty_log(&user("u")).await.unwrap(), "the reader still needs the old pages");
    go.send(()).unwrap();
    reading.await.unwrap();
    assert!(bed.vaults.empty_log(&user("u")).await.unwrap());
    assert!(traces(folder.path()).is_empty());
    bed.vaults.close().await;
}

#[tokio::test]
async fn what_a_killed_process_left_in_the_log_goes_at_the_next_start() {
    let (folder, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let bed = bed_in(folder.path()).await;
    with_secrets(&bed).await;
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (go, may_end) = tokio::sync::oneshot::channel::<()>();
    let reading = hold_by_a_read(&bed, begun, may_end);
    has_begun.await.unwrap();
    forget_first(&bed).await;
    // As after a kill at this moment: the notes of open processes are lost.
    copy(folder.path(), killed.path());
    go.send(()).unwrap();
    reading.await.unwrap();
    bed.vaults.close().await;
    assert!(!traces(killed.path()).is_empty(), "the test can see what it looks for");
    let store = store(SqliteOptions::new(killed.path())).await;
    assert_eq!(store.look_at_files().await.unwrap(), 0);
    let left = traces(killed.path());
    assert!(left.is_empty(), "{left:?}");
    store.vaults().close().await;
}
