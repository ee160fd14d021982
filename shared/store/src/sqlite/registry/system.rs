//! The connections to `system.db`: one writer, and readers.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_core::damage::SharedFile;
use kimberly_core::error::{Error, Result, StorageFailure};
use tokio::sync::{Mutex, MutexGuard};

use crate::sqlite::conn::Conn;
use crate::sqlite::file::{DbFile, Use};
use crate::sqlite::layout::Layout;
use crate::sqlite::options::SqliteOptions;
use crate::sqlite::readers::ReadLease;
use crate::sqlite::readers::Readers;
use crate::sqlite::schema::SYSTEM;
use crate::sqlite::{errors, pragmas, quarantine};

/// Pause before a refused attempt to open is repeated.
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

/// `system.db`. Every statement is its own transaction, unless it begins one.
pub(crate) struct SystemDb {
    options: SqliteOptions,
    file: Arc<DbFile>,
    readers: Readers,
    writer: Mutex<Option<Conn>>,
}

impl SystemDb {
    /// Opens the registry, creating it if necessary.
    pub(crate) async fn open(layout: &Layout, options: &SqliteOptions) -> Result<Self> {
        let key = options.keys.system().map_err(|error| errors::key(&error))?;
        let file = Arc::new(DbFile::new(layout.system_db(), &SYSTEM, key));
        let mut conn = make(&file, options).await.map_err(named)?;
        pragmas::check_version(&mut conn).await?;
        SYSTEM.migrate(&mut conn).await.map_err(named)?;
        Ok(Self {
            options: options.clone(),
            readers: Readers::new(Arc::clone(&file), options),
            file,
            writer: Mutex::new(Some(conn)),
        })
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(super) async fn writer(&self) -> Result<Writing<'_>> {
        self.options.refuse_mapping()?;
        let mut guard = self.writer.lock().await;
        if guard.as_ref().is_none_or(Conn::failed) {
            // Replaces a connection in doubt.
            *guard = Some(self.file.open(Use::Make, &self.options).await?.0);
        }
        Ok(Writing(guard))
    }

    pub(super) async fn reader(&self) -> Result<ReadLease<'_>> {
        self.readers.lease(&self.options, None).await
    }

    /// Reports whether the whole file is intact.
    pub(crate) async fn is_whole(&self) -> Result<bool> {
        quarantine::is_whole(&self.file, &self.options).await
    }

    /// Closes all connections.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        if let Some(conn) = self.writer.lock().await.take()
            && let Err(error) = conn.close().await
        {
            tracing::warn!(%error, "the registry did not close cleanly");
        }
    }
}

/// Names the file in errors about its damage.
fn named(error: Error) -> Error {
    match error {
        Error::Storage { failure: failure @ StorageFailure::Corrupt, ref detail } if !errors::is_newer(&error) => {
            Error::storage(failure, format!("{} ({detail})", SharedFile::Registry))
        }
        other => other,
    }
}

/// Opens or creates the file. Switching a new file to a write-ahead log does not wait for locks: when several processes
/// start on an empty folder, some are refused at once and must retry.
async fn make(file: &DbFile, options: &SqliteOptions) -> Result<Conn> {
    let started = Instant::now();
    loop {
        match file.open(Use::Make, options).await {
            Err(Error::Storage { failure: StorageFailure::Unavailable, .. })
                if started.elapsed() < options.busy_timeout =>
            {
                tokio::time::sleep(BETWEEN_TRIES).await;
            }
            opened => return opened.map(|(conn, _)| conn),
        }
    }
}

/// The writing connection, locked by one caller.
pub(super) struct Writing<'a>(MutexGuard<'a, Option<Conn>>);

impl Writing<'_> {
    pub(super) fn conn(&mut self) -> Result<&mut Conn> {
        self.0.as_mut().ok_or_else(|| Error::storage(StorageFailure::Unavailable, "the registry is closed"))
    }
}
