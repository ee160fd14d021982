//! Moving everything from one backend to the other, while the side that is left goes on serving.
//!
//! A pass copies every user whose vault was written to since it was copied last, each of one snapshot and into one transaction,
//! and reads back what came of it. When no process works on the side that is left, and while none can start there, a last pass
//! is made, what is there for all users is copied, and everything that was copied is compared once more; then that side says where it
//! went, and only then the other one that it is complete. Processes start on neither a side that was left nor one that is half
//! filled. So whatever is killed is begun again.
//!
//! `side` is what a backend does for it (`sqlite/moving`, `postgres/moving`), `crate::tables` what is moved, `cell` what rows are
//! meanwhile and how they are summed.

pub(crate) mod cell;
mod copying;
mod finish;
mod keys;
pub(crate) mod side;

use std::path::PathBuf;
use std::sync::Arc;

use futures::StreamExt as _;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::BoxFuture;
use kimberly_crypto::KeySources;
use tokio::sync::Mutex;

use crate::postgres::moving::Database;
use crate::sqlite::moving::Files;
#[cfg(feature = "conformance")]
use crate::tables::{Column, Dialect, Lies, OF_ALL, of_user};
use crate::{PgOptions, SqliteOptions};
use side::{Held, Mark, Side, State};

/// Users that are copied at once: while one waits for a disk, another one is read.
const AT_ONCE: usize = 4;

/// One end of a move.
pub enum End {
    /// A data folder; the sources of its rings if it is encrypted.
    Files(Box<SqliteOptions>, Option<KeySources>),
    /// A database.
    Database(Box<PgOptions>),
}

/// How it goes, for those who wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// A pass over so many users begins.
    Pass {
        /// How many.
        users: u64,
    },
    /// One more user was looked at, and copied if he has so many rows.
    User {
        /// Rows that were copied; `None` if nothing was written to since they were copied before.
        rows: Option<u64>,
    },
    /// What lies in the side that was filled is compared once more, user by user.
    Checking {
        /// How many.
        users: u64,
    },
}

/// Who hears of it.
pub type Tell<'t> = &'t (dyn Fn(Told) + Send + Sync);

/// What a pass did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Users that were looked at.
    pub users: u64,
    /// Users that were copied.
    pub copied: u64,
    /// Rows of these.
    pub rows: u64,
    /// Users who were being purged, and so left alone.
    pub purging: u64,
}

/// What was moved in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Users.
    pub users: u64,
    /// Those of them who have a vault.
    pub vaults: u64,
    /// Rows of all vaults, and of what is there for all users.
    pub rows: u64,
    /// SHA-256 over the digests of all vaults in the order of their users, and over what is there for all; 64 hexadecimal digits.
    pub digest: String,
}

/// A move that was begun, now or before.
pub struct Moving {
    from: Arc<dyn Side>,
    to: Arc<dyn Side>,
    installation: String,
    /// Whether attachments lie in an object store that both sides reach.
    objects: bool,
    /// Keeps processes, and other moves, from the side that is filled.
    held: Mutex<Box<dyn Held>>,
}

// Futures that other crates await are boxed: they are compiled here, not once more in each program.
impl Moving {
    /// Begins to move, or goes on with what was begun. `objects`: attachments lie in an object store. `None` if
    /// everything was moved before. Fails with what is in the way.
    pub fn begin(from: End, to: End, objects: bool) -> BoxFuture<'static, Result<Option<Self>>> {
        Box::pin(async move {
            let (from, to) = (from.open(true).await?, to.open(false).await?);
            if let Some(Mark { state: State::Filling, other, .. }) = from.mark().await? {
                return Err(refused(format!(
                    "{} is itself only half filled from {other}: finish that first, or move from there",
                    from.shown()
                )));
            }
            from.open().await?;
            let installation = from.installation().await?;
            let left = from.mark().await?.filter(|mark| mark.state == State::Left);
            if was_moved(&*to, left.as_ref()).await? {
                return Ok(None);
            }
            let Some(held) = to.hold().await? else {
                return Err(refused(format!(
                    "processes of Kimberly, or another `kimberly migrate`, work on {}: stop them",
                    to.shown()
                )));
            };
            begins(&*from, &*to, left, &installation).await?;
            keys::copy_of_system(&from.keys(), &to.keys()).await?;
            to.open().await?;
            Ok(Some(Self { from, to, installation, objects, held: Mutex::new(held) }))
        })
    }

    /// Copies everybody whose vault was written to since he was copied last.
    pub fn pass<'a>(&'a self, tell: Tell<'a>) -> BoxFuture<'a, Result<Passed>> {
        Box::pin(async move {
            tell(Told::Pass { users: self.from.count_users().await? });
            let (mut passed, mut last) = (Passed::default(), None);
            loop {
                let users = self.from.users(last.as_ref()).await?;
                let Some(next) = users.last().cloned() else { return Ok(passed) };
                let mut copying = futures::stream::iter(users).map(|user| self.one(user)).buffer_unordered(AT_ONCE);
                while let Some(copied) = copying.next().await {
                    passed.users += 1;
                    let rows = match copied {
                        Err(Error::Purging) => {
                            passed.purging += 1;
                            None
                        }
                        copied => copied?,
                    };
                    passed.copied += u64::from(rows.is_some());
                    passed.rows += rows.unwrap_or_default();
                    tell(Told::User { rows });
                }
                last = Some(next);
            }
        })
    }

    async fn one(&self, user: UserId) -> Result<Option<u64>> {
        let copied = copying::user(self, &user).await;
        copied.map_err(|error| of_vault(&user, error))
    }

    /// Fails if others may have worked on the side that is filled, and may serve there by now.
    async fn still_held(&self) -> Result<()> {
        if self.held.lock().await.held().await { Ok(()) } else { Err(let_go(&*self.to)) }
    }

    /// Where everything goes, without secrets.
    pub fn shown(&self) -> (String, String) {
        (self.from.shown(), self.to.shown())
    }

    /// Closes both sides.
    pub async fn close(self) {
        self.from.close().await;
        self.to.close().await;
        self.held.into_inner().end().await;
    }
}

impl End {
    async fn open(self, is_left: bool) -> Result<Arc<dyn Side>> {
        Ok(match self {
            Self::Files(options, keys) => Arc::new(Files::open(*options, keys, is_left).await?),
            Self::Database(options) => Arc::new(Database::open(*options).await?),
        })
    }

    /// A data folder with the defaults.
    pub fn folder(data_dir: PathBuf, keys: Option<KeySources>) -> Self {
        Self::Files(Box::new(SqliteOptions::new(data_dir)), keys)
    }
}

/// Whether everything was moved to a side before.
async fn was_moved(to: &dyn Side, left: Option<&Mark>) -> Result<bool> {
    let Some(mark) = left.filter(|mark| mark.other == to.shown()) else { return Ok(false) };
    let half = to.mark().await?.is_some_and(|to| to.state == State::Filling && to.installation == mark.installation);
    Ok(!half && !to.is_empty().await?)
}

/// Marks the other side as being filled, unless it is.
async fn begins(from: &dyn Side, to: &dyn Side, left: Option<Mark>, installation: &str) -> Result<()> {
    match to.mark().await? {
        Some(mark) if mark.state == State::Filling && mark.installation == installation => return Ok(()),
        Some(Mark { state: State::Filling, other, .. }) => {
            return Err(refused(format!(
                "{} is half filled from {other}, which is another installation: name an empty place",
                to.shown()
            )));
        }
        Some(Mark { state: State::Left, other, .. }) => {
            return Err(refused(format!(
                "{} is not empty: it holds what was moved to {other}; name an empty place",
                to.shown()
            )));
        }
        Some(Mark { state: State::Arrived, .. }) | None => {}
    }
    if let Some(mark) = left {
        return Err(refused(left_for(&from.shown(), &mark.other, &from.undo())));
    }
    if !to.is_empty().await? {
        return Err(refused(format!(
            "{} is not empty: it holds users, credentials or keys of another installation; name an empty database (or \
             another postgres.schema), or a folder that is not there yet",
            to.shown()
        )));
    }
    let mark = Mark { state: State::Filling, installation: installation.to_owned(), other: from.shown() };
    to.set_mark(&mark).await
}

/// What is said of a side that was left, with what takes that back.
pub(crate) fn left_for(side: &str, other: &str, undo: &str) -> String {
    format!(
        "everything in {side} was moved to {other}: start Kimberly there. To stay here instead, and only if nothing was written \
         there since: {undo}"
    )
}

/// What is said of a side that is not complete.
pub(crate) fn half_filled(side: &str, other: &str) -> String {
    format!(
        "{side} is being filled from {other} by `kimberly migrate` and is not complete: run that again until it says that all \
         is moved"
    )
}

/// A side that others may have worked on meanwhile.
fn let_go(side: &dyn Side) -> Error {
    Error::storage(
        StorageFailure::Unavailable,
        format!(
            "{} was not kept from others all the time, as the connection to it broke: run this again",
            side.shown()
        ),
    )
}

/// Something that the operator must mend.
pub(crate) fn refused(problem: impl Into<String>) -> Error {
    Error::storage(StorageFailure::Defect, problem)
}

/// An error, with the vault that it is about by the hash of its user.
fn of_vault(user: &UserId, error: Error) -> Error {
    match error {
        Error::Storage { failure, detail } => {
            Error::storage(failure, format!("vault {}: {detail}", user.folder_name()))
        }
        Error::Quarantined { damage } => refused(format!(
            "vault {} is in quarantine ({damage}) and cannot be moved: mend it first, `kimberly vaults` says how",
            user.folder_name()
        )),
        other => other,
    }
}

/// Tables of a database that are moved as they lie, with their columns but for the user, each with its type; for tests.
#[cfg(feature = "conformance")]
pub fn moved_columns() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let shown = |column: &Column| (column.database, Dialect::Database.column(column));
    let alike = of_user().iter().chain(OF_ALL).filter(|table| table.lies == Lies::Alike);
    alike.map(|table| (table.database, table.columns.iter().map(shown).collect())).collect()
}
