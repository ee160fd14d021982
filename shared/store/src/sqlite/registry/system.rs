//! The connections to `system.db`: one writer, and readers.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_core::damage::SharedFile;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::{KeyError, refuse_lost_registry, refuse_unknown};
use tokio::sync::{Mutex, MutexGuard};

use crate::sqlite::conn::Conn;
use crate::sqlite::file::{DbFile, Use};
use crate::sqlite::layout::Layout;
use crate::sqlite::options::SqliteOptions;
use crate::sqlite::readers::ReadLease;
use crate::sqlite::readers::Readers;
use crate::sqlite::schema::SYSTEM;
use crate::sqlite::{errors, files, pragmas, quarantine};

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
    /// Opens the registry, creating it in a new data folder. Refuses to replace one that was lost.
    pub(crate) async fn open(layout: &Layout, options: &SqliteOptions) -> Result<Self> {
        refuse_lost(options).await?;
        Self::open_any(layout, options, true).await
    }

    /// Opens the registry, creating it if necessary.
    pub(super) async fn open_or_replace(layout: &Layout, options: &SqliteOptions) -> Result<Self> {
        Self::open_any(layout, options, false).await
    }

    async fn open_any(layout: &Layout, options: &SqliteOptions, refuses_new: bool) -> Result<Self> {
        let key = options.keys.system().map_err(|error| errors::key(&error))?;
        let file = Arc::new(DbFile::new(layout.system_db(), &SYSTEM, key));
        let mut conn = make(&file, options).await.map_err(named)?;
        pragmas::check_version(&mut conn).await?;
        if refuses_new {
            refuse_unknown_vaults(&mut conn, options).await?;
        }
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
            // Replaces a connection in doubt; the file may be gone meanwhile.
            refuse_lost(&self.options).await?;
            *guard = Some(self.file.open(Use::Make, &self.options).await?.0);
        }
        Ok(Writing(guard))
    }

    pub(super) async fn reader(&self) -> Result<ReadLease<'_>> {
        self.readers.lease(&self.options, None).await
    }

    /// Reports whether the whole file is there and intact.
    pub(crate) async fn is_whole(&self) -> Result<bool> {
        match refuse_lost(&self.options).await {
            Err(Error::Storage { failure: StorageFailure::Corrupt, .. }) => return Ok(false),
            looked => looked?,
        }
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

/// Refuses a data folder whose registry was lost.
async fn refuse_lost(options: &SqliteOptions) -> Result<()> {
    let root = options.data_dir.clone();
    files::off_thread(move || refuse_lost_registry(&root)).await?.map_err(lost)
}

/// Refuses a new file beside vaults: if its log was lost, the registry looks like a new one.
async fn refuse_unknown_vaults(conn: &mut Conn, options: &SqliteOptions) -> Result<()> {
    if SYSTEM.check(conn).await? > 0 {
        return Ok(());
    }
    let root = options.data_dir.clone();
    let looked = files::off_thread(move || refuse_unknown(&root, "holds no tables")).await?;
    // Another process may have created the tables, and then vaults, since.
    if looked.is_err() && SYSTEM.check(conn).await? > 0 { Ok(()) } else { looked.map_err(lost) }
}

fn lost(error: KeyError) -> Error {
    match error {
        KeyError::Refused(problem) => errors::corrupt(problem),
        other => errors::key(&other),
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
