//! One open vault: its reading connections and its writer.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::ports::ReadWork;
use tokio::sync::OnceCell;

use super::columns::Cache;
use super::file::DbFile;
use super::options::SqliteOptions;
use super::reader::{Access, Reading};
use super::readers::Readers;
use super::schema::VAULT;
use super::shared::Shared;
use super::writer::Writer;

/// Name of the database in a vault's folder.
const FILE: &str = "memory.db";

/// An open vault. Opening costs nothing: connections are made when they are needed.
pub(crate) struct Vault {
    user: UserId,
    folder: PathBuf,
    file: Arc<DbFile>,
    readers: Readers,
    writer: Writer,
    columns: Cache,
    /// Set once the file is known to be there.
    exists: AtomicBool,
    made: OnceCell<()>,
    /// Milliseconds from the store's start to the last use.
    used: AtomicU64,
}

impl Vault {
    pub(crate) fn new(user: UserId, shared: &Shared) -> Self {
        let folder = shared.layout.vault(&user);
        let path = Self::path_of(&user, shared);
        let exists = path.exists();
        let file = Arc::new(DbFile::of_vault(path, &VAULT, &user, &shared.options));
        Self {
            readers: Readers::of_vault(Arc::clone(&file), &user, &shared.options),
            file,
            writer: Writer::default(),
            columns: Cache::new(Arc::clone(&shared.columns)),
            exists: AtomicBool::new(exists),
            made: OnceCell::new(),
            used: AtomicU64::new(0),
            user,
            folder,
        }
    }

    /// Where a user's vault is, if there is one.
    pub(crate) fn path_of(user: &UserId, shared: &Shared) -> PathBuf {
        shared.layout.vault(user).join(FILE)
    }

    pub(crate) fn user(&self) -> &UserId {
        &self.user
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(crate) fn file(&self) -> &Arc<DbFile> {
        &self.file
    }

    /// Whether the vault's file is there.
    pub(crate) fn exists(&self) -> bool {
        if self.exists.load(Ordering::Relaxed) {
            return true;
        }
        let exists = self.path().exists();
        self.exists.store(exists, Ordering::Relaxed);
        exists
    }

    /// Makes the vault if there is none, and registers its user before: a vault nobody knows of would never be
    /// meditated on, a user without a vault does no harm.
    pub(crate) async fn make(&self, shared: &Shared) -> Result<()> {
        self.made
            .get_or_try_init(|| async {
                shared.registry.register(&self.user, shared.clock.now()).await?;
                if !self.exists() {
                    // Its keys are on disk before it is: without them it would be lost.
                    let key = self.file.make_key(&shared.options).await?;
                    shared.template.copy_to(self.path(), key.as_deref(), &shared.options).await?;
                    self.exists.store(true, Ordering::Relaxed);
                }
                Ok(())
            })
            .await
            .copied()
    }

    /// Runs work on one snapshot.
    pub(crate) async fn read(&self, work: &mut ReadWork, options: &SqliteOptions) -> Result<()> {
        let mut lease = self.readers.lease(options).await?;
        let mut access = Access::<Reading>::new(lease.conn()?, Some(&self.folder)).with_cache(&self.columns);
        work(&mut access).await
    }

    pub(crate) fn writer(&self) -> &Writer {
        &self.writer
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn touch(&self, started: Instant) {
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.used.store(millis, Ordering::Relaxed);
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Writes what is pending and closes every connection. The writer goes last, so that its checkpoint meets no reader.
    pub(crate) async fn close(self: Arc<Self>) {
        self.readers.close().await;
        self.writer.close().await;
    }
}
