//! What can be tuned about the store, with defaults that fit one machine.

use std::path::PathBuf;
use std::time::Duration;

use kimberly_crypto::Keys;

/// How a [`super::SqliteStore`] behaves.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// The data folder; made if missing.
    pub data_dir: PathBuf,
    /// What the registry and the vaults are encrypted with; none by default: then they are plain files.
    pub keys: Keys,
    /// Most vaults held open at once; at least 1. An open vault costs a thread and some 150 KiB, and a thread and as
    /// much again while it is written to.
    pub max_open: usize,
    /// Most connections that read one vault at the same time; opened as needed; at least 1.
    pub readers_per_vault: usize,
    /// How long a vault's writing connection stays open after the last write; then the write-ahead log is emptied.
    pub writer_idle: Duration,
    /// How long a vault stays open after its last use.
    pub vault_idle: Duration,
    /// Most transactions of one vault that share a commit.
    pub group_size: usize,
    /// How long a commit waits for more transactions to join while there are any.
    pub group_time: Duration,
    /// How long to wait for a lock that another process holds.
    pub busy_timeout: Duration,
    /// Bytes of page cache that all connections of this process share; pages are given up above it.
    pub page_cache_bytes: u64,
    /// Bytes that may be spent on what is kept of open vaults for recall: columns, 60 a memory, and words of sealed memories.
    pub kept_bytes: usize,
    /// Free bytes of the disk below which nothing is added; erasing and reading go on. None by default.
    pub reserve: u64,
    /// Most pages of 4 KiB that one vault may have; none by default. A vault that reaches it is like a full disk.
    pub max_vault_pages: Option<u32>,
}

impl SqliteOptions {
    /// The defaults, for a data folder.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            keys: Keys::off(),
            max_open: 1_024,
            readers_per_vault: 2,
            writer_idle: Duration::from_secs(3),
            vault_idle: Duration::from_mins(5),
            group_size: 128,
            group_time: Duration::from_millis(5),
            busy_timeout: Duration::from_secs(5),
            page_cache_bytes: 64 * 1024 * 1024,
            kept_bytes: 64 * 1024 * 1024,
            reserve: 0,
            max_vault_pages: None,
        }
    }
}
