//! Internals that no response may contain.

use kimberly_tests::System;
use tonic::Status;

/// Internal words, in lower case.
#[derive(Clone, Debug)]
pub(crate) struct Leaks(Vec<String>);

/// Names of libraries, SQL keywords, and traces of panics.
const WORDS: &[&str] = &[
    "sqlx",
    "sqlite",
    "rusqlite",
    "apalis",
    "tokio",
    "hyper",
    "prost::",
    "tonic::",
    "serde",
    "fts5",
    "panicked",
    "backtrace",
    "called `option",
    "called `result",
    ".rs:",
    "src/",
    "memory.db",
    "system.db",
    "queue.db",
    "no such table",
    "constraint failed",
    "syntax error",
    "database is",
    "select *",
    "select id",
    "insert into",
    "delete from",
    "begin immediate",
];

impl Leaks {
    pub(crate) fn new(system: &System) -> Self {
        let checkout = env!("CARGO_MANIFEST_DIR").trim_end_matches("/tests").to_owned();
        let paths = [system.data_dir().display().to_string(), system.folder().display().to_string(), checkout];
        Self(WORDS.iter().map(|word| (*word).to_owned()).chain(paths).map(|word| word.to_lowercase()).collect())
    }

    /// The first such word in a status's message or details.
    pub(crate) fn find(&self, status: &Status) -> Option<&str> {
        self.find_in(status.message()).or_else(|| self.find_in(&String::from_utf8_lossy(status.details())))
    }

    /// The first such word in a text.
    pub(crate) fn find_in(&self, text: &str) -> Option<&str> {
        let text = text.to_lowercase();
        self.0.iter().map(String::as_str).find(|word| text.contains(word))
    }
}
