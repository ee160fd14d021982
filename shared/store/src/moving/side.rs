//! The interface that a backend implements for a move, as source and as target.

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_crypto::KeyStore;

use super::cell::{Cell, Row};
use crate::tables::Table;

/// Maximum number of rows of a page.
pub(crate) const PAGE: usize = 256;
/// A page ends with the row that reaches this size in bytes.
const PAGE_BYTES: usize = 4 << 20;

/// A page of rows.
#[derive(Default)]
pub(crate) struct Page {
    /// Rows so far.
    pub(crate) rows: Vec<Row>,
    bytes: usize,
}

impl Page {
    /// Adds a row; returns `false` when the page is full.
    pub(crate) fn add(&mut self, row: Row) -> bool {
        self.bytes += row.iter().map(Cell::size).sum::<usize>();
        self.rows.push(row);
        self.bytes < PAGE_BYTES
    }
}

/// A snapshot of the tables of one user, or of the tables shared by all users.
#[async_trait]
pub(crate) trait Rows: Send {
    /// Returns the rows after `after`, in key order; an empty page at the end.
    async fn page(&mut self, table: &'static Table, after: Option<&Row>) -> Result<Vec<Row>>;

    /// Ends the snapshot.
    async fn end(self: Box<Self>);
}

/// A transaction that fills tables. Nothing is visible before [`Self::commit`].
#[async_trait]
pub(crate) trait Filling: Send {
    /// Adds rows.
    async fn put(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<()>;

    /// Commits everything atomically together with `known`; durable on return.
    async fn commit(self: Box<Self>, known: Known) -> Result<()>;

    /// Rolls back.
    async fn give_up(self: Box<Self>);
}

/// State of a copied user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// Identifies the version of the vault that was copied; every write to the vault changes it.
    pub(crate) stamp: String,
    /// Digest of what was read.
    pub(crate) digest: [u8; 32],
}

/// A side's record of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MoveRecord {
    /// State of the move.
    pub(crate) state: State,
    /// The installation that is moved: the name of its system audit, which is unique.
    pub(crate) installation: String,
    /// The other side, without secrets.
    pub(crate) other: String,
}

/// State of a move on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// The target is being filled.
    Filling,
    /// The target is complete; interrupted work has to be resumed.
    Arrived,
    /// Everything was moved away from this source.
    Left,
}

impl State {
    /// The stored name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Filling => "filling",
            Self::Arrived => "arrived",
            Self::Left => "left",
        }
    }

    /// Parses a stored name.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Filling, Self::Arrived, Self::Left].into_iter().find(|state| state.as_str() == text)
    }
}

/// A lock that keeps all processes away from a side while it exists.
#[async_trait]
pub(crate) trait Held: Send {
    /// Reports whether the lock was held without interruption.
    async fn held(&mut self) -> bool;

    /// Releases the lock.
    async fn end(self: Box<Self>);
}

/// One side of a move.
#[async_trait]
pub(crate) trait Side: Send + Sync {
    /// Its description, without secrets.
    fn shown(&self) -> String;

    /// How to let processes start there again after everything was moved away, as part of a sentence.
    fn undo(&self) -> String;

    /// Reports whether attachments are stored beside the vaults by default.
    fn stores_attachments(&self) -> bool;

    /// The store of its wrapped keys.
    fn keys(&self) -> Arc<dyn KeyStore>;

    /// Returns its record of a move, if any.
    async fn move_record(&self) -> Result<Option<MoveRecord>>;

    /// Stores its record of a move; durable on return. On arrival, a target forgets its state of copied users and lets
    /// the next worker resume interrupted work.
    async fn set_move_record(&self, record: &MoveRecord) -> Result<()>;

    /// Locks out all processes; `None` while one is running.
    async fn hold(&self) -> Result<Option<Box<dyn Held>>>;

    /// Reports whether the side is empty.
    async fn is_empty(&self) -> Result<bool>;

    /// Opens what needs keys, which must exist by now.
    async fn open(&self) -> Result<()>;

    /// Returns the installation, see [`MoveRecord::installation`].
    async fn installation(&self) -> Result<String>;

    /// Returns a page of users after `after`, in order; an empty page at the end.
    async fn users(&self, after: Option<&UserId>) -> Result<Vec<UserId>>;

    /// Returns the number of users.
    async fn count_users(&self) -> Result<u64>;

    /// Returns a snapshot of a user's vault and the stamp of its version; `None` if there is no vault.
    async fn read(&self, user: &UserId) -> Result<Option<(Box<dyn Rows>, String)>>;

    /// Returns a snapshot of the tables shared by all users.
    async fn read_all(&self) -> Result<Box<dyn Rows>>;

    /// Reports whether attachments are stored beside a user's vault.
    async fn has_attachments(&self, user: &UserId) -> Result<bool>;

    /// Starts filling a user's vault, replacing an existing one. Like every write here, fails once the lock was lost.
    async fn fill(&self, user: &UserId) -> Result<Box<dyn Filling>>;

    /// Starts filling the tables shared by all users.
    async fn fill_all(&self) -> Result<Box<dyn Filling>>;

    /// Returns the state of a copied user.
    async fn known(&self, user: &UserId) -> Result<Option<Known>>;

    /// Forgets the state of a user, so that the user is copied again.
    async fn forget(&self, user: &UserId) -> Result<()>;

    /// Removes a copied user, except the keys.
    async fn remove(&self, user: &UserId) -> Result<()>;

    /// Removes copied users that no longer exist on the source, except their keys, and remains of interrupted copies.
    /// Call it after every user with a vault was copied. Returns how many it removed.
    async fn remove_strangers(&self) -> Result<u64>;

    /// Closes the side.
    async fn close(&self);
}
