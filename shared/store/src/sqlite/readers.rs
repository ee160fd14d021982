//! The reading connections of one vault: few, opened on demand, and reused.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::conn::Conn;
use super::file::{DbFile, Use};
use super::options::SqliteOptions;
use super::schema::Schema;
use super::{errors, owner};

/// Reading connections of one file.
pub(crate) struct Readers {
    file: Arc<DbFile>,
    /// The expected owner of the vault.
    owner: Option<UserId>,
    purpose: Use,
    most: usize,
    permits: Semaphore,
    idle: Idle,
}

/// Connections available for the next read.
#[derive(Default)]
struct Idle(Mutex<Vec<Conn>>);

impl Idle {
    fn take(&self) -> Option<Conn> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Returns a connection to the pool; one in doubt is closed.
    fn put(&self, conn: Conn) {
        if !conn.failed() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(conn);
        }
    }
}

/// A connection for one read. Returned on drop, wherever the read was interrupted.
pub(crate) struct ReadLease<'r> {
    readers: &'r Readers,
    conn: Option<Conn>,
    _permit: SemaphorePermit<'r>,
}

impl Readers {
    pub(crate) fn new(file: Arc<DbFile>, options: &SqliteOptions) -> Self {
        let most = options.readers_per_vault.max(1);
        let permits = Semaphore::new(most);
        Self { file, owner: None, purpose: Use::Read, most, permits, idle: Idle::default() }
    }

    /// Readers of a user's vault.
    pub(crate) fn of_vault(file: Arc<DbFile>, owner: &UserId, options: &SqliteOptions) -> Self {
        Self { owner: Some(owner.clone()), ..Self::new(file, options) }
    }

    /// Readers of a vault that is never written.
    pub(crate) fn of_frozen_vault(file: Arc<DbFile>, options: &SqliteOptions) -> Self {
        Self { purpose: Use::ReadFrozen, ..Self::new(file, options) }
    }

    /// Leases a connection whose next statement opens a snapshot. Setting `cancelled` cancels the read.
    pub(crate) async fn lease(
        &self,
        options: &SqliteOptions,
        cancelled: Option<&Arc<AtomicBool>>,
    ) -> Result<ReadLease<'_>> {
        let closing = |_| Error::storage(StorageFailure::Unavailable, "the vault is being closed");
        let permit = self.permits.acquire().await.map_err(closing)?;
        if self.purpose == Use::Read {
            // A reader also notes in the shared memory what it reads.
            options.refuse_mapping()?;
        }
        let mut conn = match self.idle.take() {
            Some(conn) => conn,
            None => self.open(options).await?,
        };
        if let Some(cancelled) = cancelled {
            conn.cancel_by(cancelled);
        }
        conn.send_ahead("BEGIN;");
        Ok(ReadLease { readers: self, conn: Some(conn), _permit: permit })
    }

    async fn open(&self, options: &SqliteOptions) -> Result<Conn> {
        let (mut conn, version) = self.file.open(self.purpose, options).await?;
        let schema = self.file.schema();
        if version != schema.version() {
            conn.close().await?;
            migrate(&self.file, schema, options).await?;
            conn = self.file.open(self.purpose, options).await?.0;
        }
        if let Some(owner) = &self.owner {
            owner::check(&mut conn, owner).await?;
        }
        Ok(conn)
    }

    /// Closes the connections once running reads have ended.
    pub(crate) async fn close(&self) {
        drop(self.permits.acquire_many(u32::try_from(self.most).unwrap_or(u32::MAX)).await);
        self.permits.close();
        while let Some(conn) = self.idle.take() {
            if let Err(error) = conn.close().await {
                tracing::warn!(%error, "a reading connection did not close cleanly");
            }
        }
    }
}

/// Migrates an older file.
pub(crate) async fn migrate(file: &DbFile, schema: &Schema, options: &SqliteOptions) -> Result<()> {
    let (mut conn, version) = file.open(Use::Write, options).await?;
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
        if let Some(mut conn) = self.conn.take() {
            conn.end_read();
            self.readers.idle.put(conn);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::sqlite::conn::Args;
    use crate::sqlite::read_threads;
    use crate::sqlite::rows::{Cells, ReadRow as _};

    /// Counts to a billion, which takes minutes.
    const ENDLESS: &str =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) SELECT count(*) FROM n";

    async fn readers(folder: &std::path::Path, most: usize) -> (Arc<Readers>, SqliteOptions) {
        let options = SqliteOptions { readers_per_vault: most, ..SqliteOptions::new(folder) };
        let schema = &crate::sqlite::schema::SYSTEM;
        let file = Arc::new(DbFile::new(folder.join("system.db"), schema, None));
        let (mut conn, _) = file.open(Use::Make, &options).await.unwrap();
        schema.migrate(&mut conn).await.unwrap();
        conn.close().await.unwrap();
        (Arc::new(Readers::new(file, &options)), options)
    }

    async fn answer(readers: &Arc<Readers>, options: &SqliteOptions, sql: &'static str) -> Result<Option<i64>> {
        let (readers, options) = (Arc::clone(readers), options.clone());
        let read = async move |cancelled| {
            let mut lease = readers.lease(&options, Some(&cancelled)).await?;
            lease.conn()?.row("counting", sql, Args::new(), |row| Cells::new(row).int()).await
        };
        read_threads::run(read).await
    }

    async fn abandoned(readers: &Arc<Readers>, options: &SqliteOptions) {
        let waited = tokio::time::timeout(Duration::from_millis(5), answer(readers, options, ENDLESS)).await;
        assert!(waited.is_err(), "it would have taken minutes");
    }

    #[tokio::test]
    async fn abandoned_read_is_interrupted_and_its_connection_serves_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let (readers, options) = readers(folder.path(), 1).await;
        for _ in 0..20 {
            abandoned(&readers, &options).await;
            // The only connection is free only once the statement has ended.
            assert_eq!(answer(&readers, &options, "SELECT 7").await.unwrap(), Some(7));
        }
        assert_eq!(readers.idle.0.lock().unwrap().len(), 1, "one connection did it all");
        readers.close().await;
    }

    #[tokio::test]
    async fn abandoned_read_that_waits_for_a_connection_ends() {
        let folder = tempfile::tempdir().unwrap();
        let (readers, options) = readers(folder.path(), 1).await;
        let only = readers.lease(&options, None).await.unwrap();
        abandoned(&readers, &options).await;
        let ends = async {
            while Arc::strong_count(&readers) > 1 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), ends).await.expect("it holds its thread while it waits");
        drop(only);
    }

    #[tokio::test]
    async fn other_reads_are_not_disturbed() {
        let folder = tempfile::tempdir().unwrap();
        let (readers, options) = readers(folder.path(), 2).await;
        let finite =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT max(i) FROM n";
        let (found, ()) = tokio::join!(answer(&readers, &options, finite), abandoned(&readers, &options));
        assert_eq!(found.unwrap(), Some(300_000));
        readers.close().await;
        assert!(readers.lease(&options, None).await.is_err(), "closed");
    }

    #[tokio::test]
    async fn closing_waits_until_a_cancelled_read_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let (readers, options) = readers(folder.path(), 1).await;
        abandoned(&readers, &options).await;
        readers.close().await;
        assert!(readers.idle.0.lock().unwrap().is_empty(), "it came back and was closed");
    }
}
