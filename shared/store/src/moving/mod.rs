//! Moves everything from one backend (the source) to the other (the target) while the source goes on serving.
//!
//! A pass copies every user whose vault changed since it was last copied: one snapshot, one transaction, then a
//! read-back check. The final step needs a source that no process uses, and locks it. It runs a last pass, copies the
//! tables shared by all users and compares everything once more. Then it marks the source as left, and only after that
//! the target as complete. Processes start neither on a source that was left nor on a half-filled target. An
//! interrupted move can therefore simply be repeated.
//!
//! `side` is what a backend implements (`sqlite/moving`, `postgres/moving`), `crate::tables` lists what is moved, and
//! `cell` is the neutral form of rows and their digests.

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
use side::{Held, MoveRecord, Side, State};

/// Users copied concurrently, so that reads and disk writes overlap.
const AT_ONCE: usize = 4;

/// One end of a move.
pub enum End {
    /// A data folder, with the sources of its key rings if it is encrypted.
    Files(Box<SqliteOptions>, Option<KeySources>),
    /// A database.
    Database(Box<PgOptions>),
}

/// Progress of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// A pass over all users begins.
    Pass {
        /// Number of users.
        users: u64,
    },
    /// One more user was processed.
    User {
        /// Number of copied rows; `None` if none were: the vault is unchanged, being purged, or only compared.
        rows: Option<u64>,
    },
    /// The final comparison of all users begins.
    Checking {
        /// Number of users.
        users: u64,
    },
}

/// Receives progress.
pub type Tell<'t> = &'t (dyn Fn(Told) + Send + Sync);

/// Result of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Users that were examined.
    pub users: u64,
    /// Users that were copied.
    pub copied: u64,
    /// Rows that were copied.
    pub rows: u64,
    /// Users skipped because they are being purged.
    pub purging: u64,
}

/// Totals of a finished move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Number of users.
    pub users: u64,
    /// Number of users that have a vault.
    pub vaults: u64,
    /// Rows of all vaults and of the tables shared by all users.
    pub rows: u64,
    /// SHA-256 over the digests of all vaults in the order of their users, and over the shared tables; 64 hexadecimal
    /// digits.
    pub digest: String,
}

/// A move in progress, started now or resumed.
pub struct Moving {
    from: Arc<dyn Side>,
    to: Arc<dyn Side>,
    installation: String,
    /// Whether attachments are in an object store that both sides use.
    objects: bool,
    /// The lock that keeps processes and other moves away from the target.
    held: Mutex<Box<dyn Held>>,
}

// Futures that other crates await are boxed, so that they are compiled once here and not in each program.
impl Moving {
    /// Starts or resumes a move. `objects` says that attachments are in an object store. Returns `None` if everything
    /// was already moved. An error names the obstacle.
    pub fn begin(from: End, to: End, objects: bool) -> BoxFuture<'static, Result<Option<Self>>> {
        Box::pin(async move {
            let (from, to) = (from.open(true).await?, to.open(false).await?);
            if let Some(MoveRecord { state: State::Filling, other, .. }) = from.move_record().await? {
                return Err(refused(format!(
                    "{} is itself only partly filled from {other}: complete that first, or migrate from there",
                    from.shown()
                )));
            }
            from.open().await?;
            let installation = from.installation().await?;
            let left = from.move_record().await?.filter(|record| record.state == State::Left);
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

    /// Copies every user whose vault changed since it was last copied.
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

    /// Fails if the lock on the target was lost: other processes may serve there by now.
    async fn still_held(&self) -> Result<()> {
        if self.held.lock().await.held().await { Ok(()) } else { Err(let_go(&*self.to)) }
    }

    /// Descriptions of source and target, without secrets.
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
            Self::Files(options, keys) => Arc::new(Files::open(*options, keys, is_left)?),
            Self::Database(options) => Arc::new(Database::open(*options).await?),
        })
    }

    /// A data folder with default options.
    pub fn folder(data_dir: PathBuf, keys: Option<KeySources>) -> Self {
        Self::Files(Box::new(SqliteOptions::new(data_dir)), keys)
    }
}

/// Reports whether an earlier move to this target was finished.
async fn was_moved(to: &dyn Side, left: Option<&MoveRecord>) -> Result<bool> {
    let Some(record) = left.filter(|record| record.other == to.shown()) else { return Ok(false) };
    let half =
        to.move_record().await?.is_some_and(|to| to.state == State::Filling && to.installation == record.installation);
    Ok(!half && !to.is_empty().await?)
}

/// Marks the target as being filled, unless it already is.
async fn begins(from: &dyn Side, to: &dyn Side, left: Option<MoveRecord>, installation: &str) -> Result<()> {
    match to.move_record().await? {
        Some(record) if record.state == State::Filling && record.installation == installation => return Ok(()),
        Some(MoveRecord { state: State::Filling, other, .. }) => {
            return Err(refused(format!(
                "{} is partly filled from {other}, which is another installation: name an empty destination",
                to.shown()
            )));
        }
        Some(MoveRecord { state: State::Left, other, .. }) => {
            return Err(refused(format!(
                "{} is not empty: it contains data that was moved to {other}; name an empty destination",
                to.shown()
            )));
        }
        Some(MoveRecord { state: State::Arrived, .. }) | None => {}
    }
    if let Some(record) = left {
        return Err(refused(left_for(&from.shown(), &record.other, &from.undo())));
    }
    if !to.is_empty().await? {
        return Err(refused(format!(
            "{} is not empty: it holds users, credentials or keys of another installation; name an empty database (or \
             another postgres.schema), or a folder that does not exist yet",
            to.shown()
        )));
    }
    let record = MoveRecord { state: State::Filling, installation: installation.to_owned(), other: from.shown() };
    to.set_move_record(&record).await
}

/// Message for a source that was left, with the command that undoes it.
pub(crate) fn left_for(side: &str, other: &str, undo: &str) -> String {
    format!(
        "everything in {side} was moved to {other}: start Kimberly there. To keep using this side instead, and only \
         if nothing was written there since: {undo}"
    )
}

/// Message for an incomplete target.
pub(crate) fn half_filled(side: &str, other: &str) -> String {
    format!(
        "{side} is being filled from {other} by `kimberly migrate` and is not complete: run that again until \
         everything is moved"
    )
}

/// Error for a lock that was lost: other processes may have worked on the side meanwhile.
fn let_go(side: &dyn Side) -> Error {
    Error::storage(
        StorageFailure::Unavailable,
        format!("the lock on {} was lost because the connection broke: run this again", side.shown()),
    )
}

/// An error that the operator must resolve.
pub(crate) fn refused(problem: impl Into<String>) -> Error {
    Error::storage(StorageFailure::Defect, problem)
}

/// Adds the vault, as the hash of its user, to an error.
fn of_vault(user: &UserId, error: Error) -> Error {
    match error {
        Error::Storage { failure, detail } => {
            Error::storage(failure, format!("vault {}: {detail}", user.folder_name()))
        }
        Error::Quarantined { damage } => refused(format!(
            "vault {} is in quarantine ({damage}) and cannot be moved: repair it first, `kimberly vaults` says how",
            user.folder_name()
        )),
        other => other,
    }
}

/// For tests: the database tables that are moved unchanged, with their columns (without the user) and types.
#[cfg(feature = "conformance")]
pub fn moved_columns() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let shown = |column: &Column| (column.database, Dialect::Database.column(column));
    let alike = of_user().iter().chain(OF_ALL).filter(|table| table.lies == Lies::Alike);
    alike.map(|table| (table.database, table.columns.iter().map(shown).collect())).collect()
}
