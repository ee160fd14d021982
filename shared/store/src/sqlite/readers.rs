//! The few connections that read one vault: opened when needed, kept for the next read.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::conn::Conn;
use super::options::SqliteOptions;
use super::schema::{Schema, VAULT};
use super::{errors, owner, pragmas};

/// Reading connections of one file.
pub(crate) struct Readers {
    path: PathBuf,
    schema: &'static Schema,
    /// Whose vault it must be.
    owner: Option<UserId>,
    /// Whether nobody ever writes the file.
    frozen: bool,
    permits: Semaphore,
    idle: Mutex<Vec<Conn>>,
}

/// A connection for one read. Given back on drop, wherever the read was cut off.
pub(crate) struct ReadLease<'r> {
    readers: &'r Readers,
    conn: Option<Conn>,
    _permit: SemaphorePermit<'r>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, schema: &'static Schema, options: &SqliteOptions) -> Self {
        let permits = Semaphore::new(options.readers_per_vault.max(1));
        Self { path, schema, owner: None, frozen: false, permits, idle: Mutex::default() }
    }

    /// Readers of a user's vault.
    pub(crate) fn of_vault(path: PathBuf, owner: &UserId, options: &SqliteOptions) -> Self {
        Self { owner: Some(owner.clone()), ..Self::new(path, &VAULT, options) }
    }

    /// Readers of a vault that nobody ever writes.
    pub(crate) fn of_frozen_vault(path: PathBuf, options: &SqliteOptions) -> Self {
        Self { frozen: true, ..Self::new(path, &VAULT, options) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A connection whose next statement opens a snapshot.
    pub(crate) async fn lease(&self, options: &SqliteOptions) -> Result<ReadLease<'_>> {
        let permit = self
            .permits
            .acquire()
            .await
            .map_err(|_| Error::storage(StorageFailure::Unavailable, "the vault is being closed"))?;
        let mut conn = match self.take_idle() {
            Some(conn) => conn,
            None => self.open(options).await?,
        };
        conn.send_ahead("BEGIN;");
        Ok(ReadLease { readers: self, conn: Some(conn), _permit: permit })
    }

    async fn open(&self, options: &SqliteOptions) -> Result<Conn> {
        let how = if self.frozen { pragmas::frozen } else { pragmas::reader };
        let mut conn = Conn::open(&how(&self.path, options), options.busy_timeout).await?;
        if self.schema.check(&mut conn).await? != self.schema.version() {
            conn.close().await?;
            migrate(&self.path, self.schema, options).await?;
            conn = Conn::open(&how(&self.path, options), options.busy_timeout).await?;
        }
        if let Some(owner) = &self.owner {
            owner::check(&mut conn, owner).await?;
        }
        Ok(conn)
    }

    fn take_idle(&self) -> Option<Conn> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Closes the connections; reads that are under way must have ended.
    pub(crate) async fn close(&self) {
        self.permits.close();
        while let Some(conn) = self.take_idle() {
            if let Err(error) = conn.close().await {
                tracing::warn!(%error, "a reading connection did not close cleanly");
            }
        }
    }
}

/// Steps an older file up.
async fn migrate(path: &Path, schema: &Schema, options: &SqliteOptions) -> Result<()> {
    let mut conn = Conn::open(&pragmas::writer(path, options), options.busy_timeout).await?;
    let version = schema.check(&mut conn).await?;
    if version == 0 {
        conn.close().await?;
        return Err(errors::corrupt(format!("the file is not {}", schema.what)));
    }
    let done = schema.migrate(&mut conn).await;
    conn.close().await?;
    done
}

impl ReadLease<'_> {
    pub(crate) fn conn(&mut self) -> Result<&mut Conn> {
        self.conn.as_mut().ok_or_else(|| Error::storage(StorageFailure::Defect, "a lease without a connection"))
    }
}

impl Drop for ReadLease<'_> {
    fn drop(&mut self) {
        let Some(mut conn) = self.conn.take() else { return };
        conn.end_read();
        // A connection in doubt is closed by its own thread.
        if !conn.failed() {
            self.readers.idle.lock().unwrap_or_else(PoisonError::into_inner).push(conn);
        }
    }
}
