//! Looks at every byte.

use std::path::{Path, PathBuf};

use kimberly_tests::{System, eventually};

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

/// Which words, in lower case, stand in which files below a folder. A file that vanishes meanwhile holds none.
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

/// Fails unless each of the words stands in some file: a scan that finds nothing proves something then.
pub(crate) fn assert_seen(system: &System, words: &[&str]) {
    let found = words_in(system.folder(), words);
    for word in words {
        assert!(found.iter().any(|(seen, _)| seen == word), "{word} stands in no file: the scan proves nothing for it");
    }
}

/// Fails if one of the words stands in any file, while everything is open.
pub(crate) fn assert_gone(system: &System, words: &[&str]) {
    let left = words_in(system.folder(), words);
    assert!(left.is_empty(), "{left:?}");
}

/// Waits until none of the words stands in any file: a log is emptied on nobody's time.
pub(crate) async fn goes(system: &System, words: &[&str]) {
    eventually(&format!("{words:?} leave the files"), || async {
        words_in(system.folder(), words).is_empty().then_some(())
    })
    .await;
}
