//! What a backend does for a move, as the side that is left and as the one that is filled.

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_crypto::KeyStore;

use super::cell::{Cell, Row};
use crate::tables::Table;

/// Most rows of a page.
pub(crate) const PAGE: usize = 256;
/// A page ends with the row that makes it so large.
const PAGE_BYTES: usize = 4 << 20;

/// Rows that are read at once.
#[derive(Default)]
pub(crate) struct Page {
    /// So far.
    pub(crate) rows: Vec<Row>,
    bytes: usize,
}

impl Page {
    /// Adds a row; whether there is room for another one.
    pub(crate) fn add(&mut self, row: Row) -> bool {
        self.bytes += row.iter().map(Cell::size).sum::<usize>();
        self.rows.push(row);
        self.bytes < PAGE_BYTES
    }
}

/// One snapshot of the tables of a user, or of those of all.
#[async_trait]
pub(crate) trait Rows: Send {
    /// The rows behind one, in the order of their keys; none at the end.
    async fn page(&mut self, table: &'static Table, after: Option<&Row>) -> Result<Vec<Row>>;

    /// Gives it back.
    async fn end(self: Box<Self>);
}

/// Tables that are being filled. Nobody sees anything of it before [`Self::keep`].
#[async_trait]
pub(crate) trait Filling: Send {
    /// Adds rows.
    async fn put(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<()>;

    /// Keeps all of it in one step, on disk on return, and what is known of it.
    async fn keep(self: Box<Self>, known: Known) -> Result<()>;

    /// Keeps nothing.
    async fn give_up(self: Box<Self>);
}

/// What is known of a user who was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// What the vault was told by that was read: any write to it gives it another one.
    pub(crate) stamp: String,
    /// Of what was read.
    pub(crate) digest: [u8; 32],
}

/// What a side says of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// How it stands.
    pub(crate) state: State,
    /// What is moved: the name of the audit of the system, which no other installation has.
    pub(crate) installation: String,
    /// The other side, without secrets.
    pub(crate) other: String,
}

/// How a move stands on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It is being filled.
    Filling,
    /// It is complete; what was under way is to be taken up.
    Arrived,
    /// Everything was moved away.
    Left,
}

impl State {
    /// As it is written.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Filling => "filling",
            Self::Arrived => "arrived",
            Self::Left => "left",
        }
    }

    /// As it was written.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Filling, Self::Arrived, Self::Left].into_iter().find(|state| state.as_str() == text)
    }
}

/// Keeps all processes from a side for as long as it is there.
#[async_trait]
pub(crate) trait Held: Send {
    /// Whether it did so all the time.
    async fn held(&mut self) -> bool;

    /// Lets others come.
    async fn end(self: Box<Self>);
}

/// One side of a move.
#[async_trait]
pub(crate) trait Side: Send + Sync {
    /// Where it is, without secrets.
    fn shown(&self) -> String;

    /// What is to be done so that processes may start there again although everything was moved away, as a part of a sentence.
    fn undo(&self) -> String;

    /// Whether the bytes of attachments lie beside the vaults if nothing else is configured.
    fn keeps_attachments(&self) -> bool;

    /// Where its wrapped keys lie.
    fn keys(&self) -> Arc<dyn KeyStore>;

    /// What it says of a move, if there was one.
    async fn mark(&self) -> Result<Option<Mark>>;

    /// Has it say so, on disk on return. A side that arrived forgets what it knows of users, and has what was under way taken
    /// up by the next worker.
    async fn set_mark(&self, mark: &Mark) -> Result<()>;

    /// Keeps all processes away; `None` while one is there.
    async fn hold(&self) -> Result<Option<Box<dyn Held>>>;

    /// Whether there is nothing.
    async fn is_empty(&self) -> Result<bool>;

    /// Opens what needs keys, which are there by now.
    async fn open(&self) -> Result<()>;

    /// Whose it is, see [`Mark::installation`].
    async fn installation(&self) -> Result<String>;

    /// Users behind one, in order; none at the end.
    async fn users(&self, after: Option<&UserId>) -> Result<Vec<UserId>>;

    /// How many there are.
    async fn count_users(&self) -> Result<u64>;

    /// One snapshot of a user's vault, and what identifies it; `None` if there is no vault.
    async fn read(&self, user: &UserId) -> Result<Option<(Box<dyn Rows>, String)>>;

    /// One snapshot of what is there for all users.
    async fn read_all(&self) -> Result<Box<dyn Rows>>;

    /// Bytes of attachments beside a user's vault.
    async fn has_attachments(&self, user: &UserId) -> Result<bool>;

    /// Begins to fill a user's vault, in the place of the one that may be there. Fails, as all that writes here does, once
    /// others may have come.
    async fn fill(&self, user: &UserId) -> Result<Box<dyn Filling>>;

    /// Begins to fill what is there for all users.
    async fn fill_all(&self) -> Result<Box<dyn Filling>>;

    /// What is known of a user who was copied.
    async fn known(&self, user: &UserId) -> Result<Option<Known>>;

    /// Has nothing be known of him, so that he is copied again.
    async fn forget(&self, user: &UserId) -> Result<()>;

    /// Removes a user who was copied, but for his keys.
    async fn remove(&self, user: &UserId) -> Result<()>;

    /// Removes users who were copied and are none any more, but for their keys; also what is left of a copy that was cut. To be
    /// called when everybody who has a vault on the other side was copied.
    async fn remove_strangers(&self) -> Result<u64>;

    /// Closes it.
    async fn close(&self);
}
