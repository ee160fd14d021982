//! With a key the file is unreadable without it, and works the same with it.

#![expect(clippy::unwrap_used, reason = "a fixture that cannot be made fails its test")]

use std::{path::Path, sync::Arc, time::Duration};

use kimberly_crypto::{KeySources, Keys, Loads};
use kimberly_queue::{Pushed, Queue, QueueError, QueueOptions};

use crate::common::{Runs, consume, job, quick, recorder};

/// Keys of a new data folder below `root`.
fn keys(root: &Path) -> Keys {
    let data = root.join("data");
    std::fs::create_dir_all(&data).unwrap();
    let sources = KeySources { folder: Some(root.join("rings")), ..KeySources::default() };
    Keys::open(&data, &sources, Loads::MasterOnly).unwrap()
}

fn options(keys: &Keys) -> QueueOptions {
    QueueOptions { key: keys.queue().unwrap().map(Arc::new), ..quick() }
}

#[tokio::test]
async fn no_job_can_be_read_in_the_files_and_all_run() {
    let root = tempfile::tempdir().unwrap();
    let (keys, path) = (keys(root.path()), root.path().join("data/queue.db"));
    let queue = Queue::open_with(&path, options(&keys)).await.unwrap();
    let other = Queue::open_with(&path, options(&keys)).await.unwrap();
    for n in 0..20 {
        assert_eq!(queue.push(&job(n)).await.unwrap(), Pushed::New);
    }
    for file in ["queue.db", "queue.db-wal"] {
        let bytes = std::fs::read(root.path().join("data").join(file)).unwrap();
        for word in ["meditation-", "user-1", "SQLite format 3"] {
            let found = bytes.windows(word.len()).any(|window| window == word.as_bytes());
            assert!(!found, "{word} is readable in {file}");
        }
    }
    let runs = Runs::default();
    let consumer = consume(&other, recorder(&runs, |_, _| Ok(())), 2);
    while queue.stats().await.unwrap().done < 20 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    consumer.stop().await;
    assert_eq!(runs.lock().unwrap().len(), 20);
    queue.close().await;
    other.close().await;
    let again = Queue::open_with(&path, options(&keys)).await.unwrap();
    assert_eq!(again.push(&job(1)).await.unwrap(), Pushed::Duplicate);
}

#[tokio::test]
async fn another_key_or_none_is_refused_with_the_name_of_the_file() {
    let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = root.path().join("data/queue.db");
    Queue::open_with(&path, options(&keys(root.path()))).await.unwrap().close().await;
    let wrong = Queue::open_with(&path, options(&keys(other.path()))).await.unwrap_err().to_string();
    assert!(wrong.contains("queue.db") && wrong.contains("encrypted with another key"), "{wrong}");
    let none = Queue::open(&path).await.unwrap_err().to_string();
    assert!(none.contains("queue.db") && none.contains("not a database"), "{none}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_may_create_the_encrypted_file_at_the_same_moment() {
    for _ in 0..5 {
        let root = tempfile::tempdir().unwrap();
        let (keys, path) = (keys(root.path()), root.path().join("data/queue.db"));
        let opens = (0..8).map(|_| tokio::spawn(Queue::open_with(path.clone(), options(&keys))));
        for opened in futures::future::join_all(opens).await {
            opened.unwrap().unwrap();
        }
    }
}

#[tokio::test]
async fn what_is_shown_of_a_queue_is_not_its_key() {
    let root = tempfile::tempdir().unwrap();
    let keys = keys(root.path());
    let key = keys.queue().unwrap().unwrap().pragma().trim_matches(['"', 'x', '\'']).to_owned();
    let queue = Queue::open_with(root.path().join("data/queue.db"), options(&keys)).await.unwrap();
    queue.push(&job(1)).await.unwrap();
    let shown = format!("{queue:?} {:#?}", options(&keys));
    assert!(shown.contains("DbKey") && !shown.to_lowercase().contains(&key), "{shown}");
}

#[tokio::test]
async fn a_flipped_bit_in_any_page_is_noticed() {
    let root = tempfile::tempdir().unwrap();
    let (keys, path) = (keys(root.path()), root.path().join("data/queue.db"));
    let queue = Queue::open_with(&path, options(&keys)).await.unwrap();
    for n in 0..50 {
        queue.push(&job(n)).await.unwrap();
    }
    queue.examine().await.unwrap();
    queue.close().await;
    let whole = std::fs::read(&path).unwrap();
    // Every fourth page only: opening retries on damaged first pages, in case another process is creating the file.
    for page in (0..whole.len() / 4_096).filter(|page| page % 4 == 0) {
        let mut flipped = whole.clone();
        flipped[page * 4_096 + 1_111] ^= 4;
        std::fs::write(&path, flipped).unwrap();
        let found = match Queue::open_with(&path, options(&keys)).await {
            Ok(queue) => {
                let found = queue.examine().await;
                queue.close().await;
                found
            }
            Err(error) => Err(error),
        };
        assert!(matches!(found, Err(QueueError::Damaged(_))), "page {page}: {found:?}");
    }
}
