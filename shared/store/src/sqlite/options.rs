//! Tunable options of the store; the defaults fit one machine.

use std::path::PathBuf;
use std::time::Duration;

use kimberly_crypto::Keys;

/// Options of a [`super::SqliteStore`].
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// The data folder; created if missing.
    pub data_dir: PathBuf,
    /// Keys that encrypt registry and vaults. Off by default: the files are plain.
    pub keys: Keys,
    /// Maximum number of open vaults; at least 1. An open vault costs about 150 KiB, and as much again until a minute after
    /// the last write.
    pub max_open: usize,
    /// Maximum number of concurrent reading connections per vault, opened on demand; at least 1.
    pub readers_per_vault: usize,
    /// Idle time after which a vault's write-ahead log is emptied.
    pub writer_idle: Duration,
    /// Idle time after which its writing connection closes, too: opening one costs some milliseconds.
    pub writer_close: Duration,
    /// Idle time after which a vault is closed.
    pub vault_idle: Duration,
    /// Maximum number of a vault's transactions that share a commit.
    pub group_size: usize,
    /// How long a commit waits for more transactions to join, while there are any.
    pub group_time: Duration,
    /// How long to wait for another process's lock.
    pub busy_timeout: Duration,
    /// Whether this process works in the background: it lets those that serve callers write first. Off by default.
    pub background: bool,
    /// Page cache in bytes, shared by all connections of this process; above it, pages are evicted.
    pub page_cache_bytes: u64,
    /// Budget in bytes for the caches of open vaults: columns, 72 bytes per memory, texts, and words of sealed
    /// memories.
    pub kept_bytes: usize,
    /// Free bytes on the disk below which nothing is added; erasing and reading continue. 0 by default.
    pub reserve: u64,
    /// Maximum number of 4 KiB pages per vault; unlimited by default. A vault at the limit behaves like a full disk.
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
            writer_close: Duration::from_mins(1),
            vault_idle: Duration::from_mins(5),
            group_size: 128,
            group_time: Duration::from_millis(5),
            busy_timeout: Duration::from_secs(5),
            background: false,
            page_cache_bytes: 64 * 1024 * 1024,
            kept_bytes: 64 * 1024 * 1024,
            reserve: 0,
            max_vault_pages: None,
        }
    }
}
