//! Scans every byte.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kimberly_proto::v1 as pb;
use kimberly_tests::drafts::draft;
use kimberly_tests::eventually::within;
use kimberly_tests::{System, User};

/// Timeout: several processes are killed and restarted repeatedly, on a possibly busy machine. Only bounds a hang.
const BOUND: Duration = Duration::from_mins(5);

/// Polls until `ask` returns an answer.
pub(crate) async fn patiently<T, F>(what: &str, ask: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    within(BOUND, what, ask).await
}

/// Stores a memory once, with retries: a write may exceed its deadline and still succeed.
pub(crate) async fn remember_surely(user: &User, content: &str) {
    patiently("a memory is stored", || async {
        let memory = Some(draft(content));
        let request =
            pb::CreateMemoryRequest { user_id: user.id(), memory, request_id: content.to_owned(), always_new: true };
        user.clients.memories.clone().create_memory(request).await.ok()
    })
    .await;
}

/// All files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The lowercase words found in files below a folder. A file that vanishes meanwhile has none.
pub(crate) fn words_in<'w>(folder: &Path, words: &[&'w str]) -> Vec<(&'w str, PathBuf)> {
    let mut found = Vec::new();
    for path in files(folder) {
        let bytes = std::fs::read(&path).unwrap_or_default().to_ascii_lowercase();
        for word in words {
            if bytes.windows(word.len()).any(|window| window == word.as_bytes()) {
                found.push((*word, path.clone()));
            }
        }
    }
    found
}

/// Fails unless each word is found in some file, which proves that the scan works.
pub(crate) fn assert_seen(system: &System, words: &[&str]) {
    let found = words_in(system.folder(), words);
    for word in words {
        assert!(found.iter().any(|(seen, _)| seen == word), "{word} is in no file: the scan proves nothing for it");
    }
}

/// Fails if one of the words is in any file, while everything is open.
pub(crate) fn assert_gone(system: &System, words: &[&str]) {
    let left = words_in(system.folder(), words);
    assert!(left.is_empty(), "{left:?}");
}

/// Waits until no file contains any of the words: a log is truncated eventually.
pub(crate) async fn goes(system: &System, words: &[&str]) {
    patiently(&format!("{words:?} leave the files"), || async {
        words_in(system.folder(), words).is_empty().then_some(())
    })
    .await;
}
