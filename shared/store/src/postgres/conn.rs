//! One transaction of one user's: every statement stands inside it and begins its values with the user.

use std::borrow::Cow;
use std::sync::Arc;

use futures::StreamExt;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use sqlx::postgres::{PgArguments, PgConnection, PgRow, Postgres};
use sqlx::{Arguments, AssertSqlSafe, Either, SqlSafeStr, SqlStr};

use super::errors;
use super::head::Head;
use super::notes::Notes;
use crate::sealed::{Analyser, Seals, Tokens};

/// Values for the parameters of a statement, in order.
#[derive(Default)]
pub(crate) struct Args(PgArguments);

impl Args {
    /// None yet: for statements that are about no user.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// The user as `$1`, which every statement about a vault names. Nobody has no rows.
    pub(crate) fn of(user: Option<&UserId>) -> Self {
        Self::none().with(user.map(|user| user.as_str().to_owned()))
    }

    /// These values and one more.
    pub(crate) fn with<'v, T>(mut self, value: T) -> Self
    where
        T: sqlx::Encode<'v, Postgres> + sqlx::Type<Postgres>,
    {
        self.push(value);
        self
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        Arguments::len(&self.0)
    }

    /// Adds a value and returns its number: `$2` and on where the user is `$1`.
    pub(crate) fn push<'v, T>(&mut self, value: T) -> usize
    where
        T: sqlx::Encode<'v, Postgres> + sqlx::Type<Postgres>,
    {
        // Encoding fails for no type used here; were it to, the statement would miss a value and be refused.
        let added = Arguments::add(&mut self.0, value);
        debug_assert!(added.is_ok());
        Arguments::len(&self.0)
    }
}

/// A transaction of one user's vault, or of the registry.
pub(crate) struct Conn {
    raw: sqlx::Transaction<'static, Postgres>,
    /// Whose vault it is; nobody's if it is about what is there once for all users.
    user: Option<UserId>,
    /// The vault's own row, as of the transaction; changed here and written at its end.
    pub(crate) head: Head,
    /// What the transaction has put off.
    pub(crate) notes: Notes,
    /// What seals and opens sensitive memories; none until it is known whose vault it is, and where no memory is touched.
    pub(crate) seals: Option<Arc<Seals>>,
    /// What takes texts apart for the full-text index; none where there are no texts.
    pub(crate) analyser: Option<Arc<Analyser>>,
    /// Memories of the largest vault that is looked through; 0 where nothing is searched.
    pub(crate) looks_through: u32,
    /// Whether any statement failed: then nothing of the transaction can be kept.
    failed: bool,
    /// Whether it failed because another transaction was in the way or the connection is gone: it may be tried again.
    lost: bool,
}

impl Conn {
    pub(crate) fn new(raw: sqlx::Transaction<'static, Postgres>, user: UserId) -> Self {
        Self { user: Some(user), ..Self::of_all(raw) }
    }

    /// A transaction about what is there once for all users.
    pub(crate) fn of_all(raw: sqlx::Transaction<'static, Postgres>) -> Self {
        let (head, notes) = (Head::default(), Notes::default());
        Self { raw, user: None, head, notes, seals: None, analyser: None, looks_through: 0, failed: false, lost: false }
    }

    /// The same, with what takes texts apart.
    pub(crate) fn with_analyser(mut self, analyser: &Arc<Analyser>) -> Self {
        self.analyser = Some(Arc::clone(analyser));
        self
    }

    /// The tokens of each text, as the full-text index takes them apart.
    pub(crate) async fn tokens(&self, texts: &[String]) -> Result<Vec<Tokens>> {
        let defect = || Error::storage(StorageFailure::Defect, "nothing takes texts apart here");
        self.analyser.as_ref().ok_or_else(defect)?.tokens(texts).await
    }

    /// What seals what is written. Nothing is written without asking it: it knows whether it is to seal.
    pub(crate) fn sealing(&self) -> Result<Arc<Seals>> {
        let defect = || Error::storage(StorageFailure::Defect, "nothing seals sensitive memories here");
        self.seals.clone().ok_or_else(defect)
    }

    /// The user as `$1`.
    pub(crate) fn args(&self) -> Args {
        Args::of(self.user.as_ref())
    }

    /// Whether every row of the vault is looked at for words and parts of them. Their indices seek each of its memories among those
    /// of everybody who uses a word; of a small vault most pages are read anyway, as neighbours are read behind what is found.
    pub(crate) fn looks_through(&self) -> bool {
        self.head.is_small(self.looks_through)
    }

    /// Whose vault it is.
    pub(crate) fn user(&self) -> Result<&UserId> {
        let nobody = || Error::storage(StorageFailure::Defect, "a transaction about all users was asked for its user");
        self.user.as_ref().ok_or_else(nobody)
    }

    /// Whether any statement failed.
    pub(crate) fn failed(&self) -> bool {
        self.failed
    }

    /// Whether trying again may help.
    pub(crate) fn lost(&self) -> bool {
        self.lost
    }

    /// Runs a statement and hands every row to `take` until it says `false`; returns the rows changed.
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

    /// Runs a statement; returns the rows that it changed.
    pub(crate) async fn run(
        &mut self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
    ) -> Result<u64> {
        self.for_each(doing, sql, args, |_| Ok(true)).await
    }

    /// Runs a statement; returns the rows, read by `read`.
    pub(crate) async fn rows<T: Send>(
        &mut self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
        mut read: impl FnMut(&PgRow) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.for_each(doing, sql, args, |row| {
            found.push(read(row)?);
            Ok(true)
        })
        .await?;
        Ok(found)
    }

    /// Runs a statement; returns the last row, read by `read`, if there is one.
    pub(crate) async fn row<T: Send>(
        &mut self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
        mut read: impl FnMut(&PgRow) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        let mut found = None;
        self.for_each(doing, sql, args, |row| {
            found = Some(read(row)?);
            Ok(true)
        })
        .await?;
        Ok(found)
    }

    /// Marks where [`Self::back_to_savepoint`] leads, in place of the mark before.
    pub(crate) async fn savepoint(&mut self) -> Result<()> {
        self.run("setting a savepoint", "SAVEPOINT work", Args::none()).await.map(drop)
    }

    /// Takes back what was done since the savepoint, failures too.
    pub(crate) async fn back_to_savepoint(&mut self) -> Result<()> {
        self.run("going back to a savepoint", "ROLLBACK TO SAVEPOINT work", Args::none()).await?;
        self.failed = false;
        Ok(())
    }

    /// Ends the transaction; on return everything in it is on disk.
    pub(crate) async fn commit(self) -> Result<()> {
        self.try_commit().await.map_err(Uncommitted::into_error)
    }

    /// The same for those who can find out what became of it, or try it again.
    pub(crate) async fn try_commit(self) -> Result<(), Uncommitted> {
        self.raw.commit().await.map_err(|e| {
            let error = errors::sql("committing", &e);
            match () {
                () if errors::lost_a_race(&e) => Uncommitted::Lost(error),
                () if errors::lost_the_way(&e) => Uncommitted::Unknown(error),
                () => Uncommitted::Refused(error),
            }
        })
    }

    /// Ends the transaction as what was done in it says: kept if it was done.
    pub(crate) async fn end<T>(self, done: Result<T>) -> Result<T> {
        match done {
            Ok(value) if !self.failed => self.commit().await.map(|()| value),
            Ok(_) => {
                self.roll_back().await;
                Err(Error::storage(StorageFailure::Defect, "a statement failed and the work went on"))
            }
            Err(error) => {
                self.roll_back().await;
                Err(error)
            }
        }
    }

    /// Takes everything back.
    pub(crate) async fn roll_back(self) {
        // A connection that cannot even do this is gone, and its transaction with it.
        let _ = self.raw.rollback().await;
    }
}

/// Why a commit was not answered with success.
pub(crate) enum Uncommitted {
    /// Nothing was kept, since another transaction was in the way.
    Lost(Error),
    /// The answer did not arrive: it may have been kept or not.
    Unknown(Error),
    /// Nothing was kept, for another reason.
    Refused(Error),
}

impl Uncommitted {
    fn into_error(self) -> Error {
        match self {
            Self::Lost(error) | Self::Unknown(error) | Self::Refused(error) => error,
        }
    }
}

/// Why a statement ended.
pub(crate) enum Failure {
    /// Postgres, or the way there.
    Sql(sqlx::Error),
    /// What was to be done with a row.
    Taking(Error),
}

impl Failure {
    /// The domain's error, with what was being done.
    pub(crate) fn into_error(self, doing: &str) -> Error {
        match self {
            Self::Sql(error) => errors::sql(doing, &error),
            Self::Taking(error) => error,
        }
    }
}

/// Runs a statement over any connection.
pub(crate) async fn for_each(
    raw: &mut PgConnection,
    sql: Cow<'static, str>,
    args: Args,
    mut take: impl FnMut(&PgRow) -> Result<bool> + Send,
) -> Result<u64, Failure> {
    let sql: SqlStr = match sql {
        Cow::Borrowed(sql) => sql.into_sql_str(),
        Cow::Owned(sql) => AssertSqlSafe(sql).into_sql_str(),
    };
    let mut changed = 0;
    let mut answers = sqlx::Executor::fetch_many(raw, sqlx::query_with(sql, args.0));
    while let Some(answer) = answers.next().await {
        match answer.map_err(Failure::Sql)? {
            Either::Left(done) => changed = done.rows_affected(),
            Either::Right(row) => {
                if !take(&row).map_err(Failure::Taking)? {
                    break;
                }
            }
        }
    }
    Ok(changed)
}
