//! A transaction of one user. Every statement runs in it and takes the user as its first value.

use std::borrow::Cow;
use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use sqlx::postgres::{PgRow, Postgres};

use super::errors;
use super::head::Head;
use super::notes::Notes;
use super::statement::{Failure, for_each};
use crate::sealed::{Analyser, Seals, Tokens};

pub(crate) use super::statement::Args;

/// A transaction on one user's vault, or on the registry.
pub(crate) struct Conn {
    raw: sqlx::Transaction<'static, Postgres>,
    /// The user whose vault this is; `None` for data shared by all users.
    user: Option<UserId>,
    /// The vault's row as of this transaction; changed here and written at its end.
    pub(crate) head: Head,
    /// Work that the transaction has postponed.
    pub(crate) notes: Notes,
    /// Seals and opens sensitive memories; `None` until the vault is known, and where no memory is used.
    pub(crate) seals: Option<Arc<Seals>>,
    /// Tokenizes texts for the full-text index; `None` where there are no texts.
    pub(crate) analyser: Option<Arc<Analyser>>,
    /// Largest number of memories of a vault that is scanned instead of using an index; 0 where nothing is searched.
    pub(crate) looks_through: u32,
    /// Whether a statement failed; the transaction cannot be committed then.
    failed: bool,
    /// Whether it failed because of a conflict with another transaction or a lost connection; it may be retried.
    lost: bool,
}

impl Conn {
    pub(crate) fn new(raw: sqlx::Transaction<'static, Postgres>, user: UserId) -> Self {
        Self { user: Some(user), ..Self::of_all(raw) }
    }

    /// A transaction on data shared by all users.
    pub(crate) fn of_all(raw: sqlx::Transaction<'static, Postgres>) -> Self {
        let (head, notes) = (Head::default(), Notes::default());
        Self { raw, user: None, head, notes, seals: None, analyser: None, looks_through: 0, failed: false, lost: false }
    }

    /// Adds the tokenizer.
    pub(crate) fn with_analyser(mut self, analyser: &Arc<Analyser>) -> Self {
        self.analyser = Some(Arc::clone(analyser));
        self
    }

    /// Returns the tokens of each text, as the full-text index stores them.
    pub(crate) async fn tokens(&self, texts: &[String]) -> Result<Vec<Tokens>> {
        let defect = || Error::storage(StorageFailure::Defect, "this process has no tokenizer");
        self.analyser.as_ref().ok_or_else(defect)?.tokens(texts).await
    }

    /// Returns the seals. Every write asks for them; they know whether sealing is on.
    pub(crate) fn sealing(&self) -> Result<Arc<Seals>> {
        let defect = || Error::storage(StorageFailure::Defect, "this process cannot seal sensitive memories");
        self.seals.clone().ok_or_else(defect)
    }

    /// Returns arguments with the user as `$1`.
    pub(crate) fn args(&self) -> Args {
        Args::of(self.user.as_ref())
    }

    /// Reports whether searches for words and substrings scan all rows of the vault. The indices cover all users, so
    /// they find each of its memories among everybody's with the same word. For a small vault most pages are read
    /// anyway, because recall also reads the neighbours of its hits.
    pub(crate) fn looks_through(&self) -> bool {
        self.head.is_small(self.looks_through)
    }

    /// Returns the user whose vault this is.
    pub(crate) fn user(&self) -> Result<&UserId> {
        let nobody = || Error::storage(StorageFailure::Defect, "a transaction for all users has no user");
        self.user.as_ref().ok_or_else(nobody)
    }

    /// Reports whether a statement failed.
    pub(crate) fn failed(&self) -> bool {
        self.failed
    }

    /// Reports whether a retry may succeed.
    pub(crate) fn lost(&self) -> bool {
        self.lost
    }

    /// Runs a statement and passes every row to `take` until it returns `false`; returns the number of changed rows.
    pub(crate) async fn for_each(
        &mut self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
        take: impl FnMut(&PgRow) -> Result<bool> + Send,
    ) -> Result<u64> {
        let done = for_each(&mut self.raw, sql.into(), args, take).await;
        match done {
            Ok(done) => Ok(done),
            Err(Failure::Taking(error)) => Err(error),
            Err(Failure::Sql(error)) => {
                self.failed = true;
                self.lost |= errors::may_be_done_again(&error);
                Err(errors::sql(doing, &error))
            }
        }
    }

    crate::statements::runs_statements!(PgRow);

    /// Sets the savepoint for [`Self::back_to_savepoint`], replacing an earlier one.
    pub(crate) async fn savepoint(&mut self) -> Result<()> {
        self.run("setting a savepoint", "SAVEPOINT work", Args::none()).await.map(drop)
    }

    /// Rolls back to the savepoint and clears failures since.
    pub(crate) async fn back_to_savepoint(&mut self) -> Result<()> {
        self.run("rolling back to a savepoint", "ROLLBACK TO SAVEPOINT work", Args::none()).await?;
        self.failed = false;
        Ok(())
    }

    /// Commits; everything is durable on return.
    pub(crate) async fn commit(self) -> Result<()> {
        self.try_commit().await.map_err(Uncommitted::into_error)
    }

    /// Commits, telling callers that can retry or verify whether the outcome is known.
    pub(crate) async fn try_commit(self) -> Result<(), Uncommitted> {
        self.raw.commit().await.map_err(|e| {
            let error = errors::committing(&e);
            match () {
                () if errors::lost_a_race(&e) => Uncommitted::Lost(error),
                () if errors::leaves_open(&e) => Uncommitted::Unknown(error),
                () => Uncommitted::Refused(error),
            }
        })
    }

    /// Commits if `done` is a success and no statement failed; otherwise rolls back.
    pub(crate) async fn end<T>(self, done: Result<T>) -> Result<T> {
        match done {
            Ok(value) if !self.failed => self.commit().await.map(|()| value),
            Ok(_) => {
                self.roll_back().await;
                Err(Error::storage(StorageFailure::Defect, "a statement failed but the transaction continued"))
            }
            Err(error) => {
                self.roll_back().await;
                Err(error)
            }
        }
    }

    /// Rolls back.
    pub(crate) async fn roll_back(self) {
        // If even this fails, the connection is lost and its transaction with it.
        let _ = self.raw.rollback().await;
    }
}

/// Why a commit did not succeed.
pub(crate) enum Uncommitted {
    /// A conflict with another transaction; nothing was committed.
    Lost(Error),
    /// The answer was lost; the transaction may or may not be committed.
    Unknown(Error),
    /// Another reason; nothing was committed.
    Refused(Error),
}

impl Uncommitted {
    fn into_error(self) -> Error {
        match self {
            Self::Lost(error) | Self::Unknown(error) | Self::Refused(error) => error,
        }
    }
}
