//! An open vault: its reading connections and its writer.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result};
use kimberly_core::ports::ReadWork;
use tokio::sync::OnceCell;

use super::file::DbFile;
use super::identity::Identity;
use super::layout::lock_of;
use super::options::SqliteOptions;
use super::reader::{Access, Caches, Reading};
use super::readers::Readers;
use super::schema::VAULT;
use super::shared::Shared;
use super::writer::Writer;
use super::{erasure, files, quarantine, reader};
use crate::sealed::{Seals, WordsCache};

/// Name of the database in a vault's folder.
const FILE: &str = "memory.db";

/// An open vault. Opening costs nothing: connections are opened on demand.
pub(crate) struct Vault {
    user: UserId,
    folder: PathBuf,
    file: Arc<DbFile>,
    readers: Readers,
    writer: Writer,
    caches: Caches,
    seals: Arc<Seals>,
    /// The file's identity, set before any connection to it is opened.
    identity: OnceLock<Identity>,
    made: OnceCell<()>,
    /// Milliseconds from the store's start to the last use.
    used: AtomicU64,
}

impl Vault {
    pub(crate) fn new(user: UserId, shared: &Shared) -> Self {
        let folder = shared.layout.vault(&user);
        let path = Self::path_of(&user, shared);
        // If it cannot be looked at now, it is looked at again before it is used.
        let identity = Identity::at(&path).ok().flatten().map_or_else(OnceLock::new, OnceLock::from);
        let words = WordsCache::new(Arc::clone(&shared.columns));
        let seals = Seals::new(&user, shared.options.keys.clone(), Arc::clone(&shared.analyser), words);
        let seals = Arc::new(seals);
        let file = DbFile::of_vault(path, &VAULT, &user, &shared.options).with_seals(Arc::clone(&seals));
        let file = Arc::new(file);
        Self {
            readers: Readers::of_vault(Arc::clone(&file), &user, &shared.options),
            file,
            writer: Writer::default(),
            caches: Caches::new(&shared.columns),
            seals,
            identity,
            made: OnceCell::new(),
            used: AtomicU64::new(0),
            user,
            folder,
        }
    }

    /// Returns the path of a user's vault, whether or not it exists.
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

    /// Reports whether the vault's file exists.
    pub(crate) fn exists(&self) -> Result<bool> {
        if self.identity.get().is_some() { Ok(true) } else { self.look() }
    }

    fn look(&self) -> Result<bool> {
        let found = Identity::at(self.path())?;
        Ok(found.is_some_and(|found| {
            self.identity.get_or_init(|| found);
            true
        }))
    }

    /// Reports whether the file at the path is no longer the one that connections have open, because the vault was
    /// purged or restored from a backup. A file that cannot be looked at counts as the same one.
    pub(crate) fn was_replaced(&self) -> bool {
        let replaced = |known| Identity::at(self.path()).is_ok_and(|found| found.as_ref() != Some(known));
        self.identity.get().is_some_and(replaced)
    }

    /// Refuses a vault that is being purged or in quarantine.
    pub(crate) fn refuse_closed(&self) -> Result<()> {
        if erasure::is_hidden(&self.folder)? {
            return Err(Error::Purging);
        }
        quarantine::found(&self.folder)?.map_or(Ok(()), |damage| Err(Error::Quarantined { damage }))
    }

    /// Evicts cached texts, and words of sealed memories, if any process has purged the vault.
    pub(crate) fn forget_purged(&self) {
        let purged = || erasure::is_hidden(&self.folder).unwrap_or(true) || self.was_replaced();
        self.seals.forget_words_if(purged);
        if self.caches.hold_texts() && purged() {
            self.caches.forget_texts();
        }
    }

    /// Evicts texts from before this number of changes, and words of sealed memories if some were erased: no later
    /// snapshot can use them.
    pub(crate) fn forget_before(&self, changes: i64, erased: bool) {
        self.caches.forget_texts_before(changes);
        if erased {
            self.seals.words.forget_before(changes);
        }
    }

    /// Reports whether texts, or words of sealed memories, are cached.
    pub(crate) fn holds_texts(&self) -> bool {
        self.caches.hold_texts() || self.seals.words.look().is_some()
    }

    /// Evicts them if another process has changed memories since.
    pub(crate) async fn forget_changed_elsewhere(&self, options: &SqliteOptions) -> Result<()> {
        let mut lease = self.readers.lease(options, None).await?;
        let changes = reader::recall_changes(lease.conn()?).await?;
        self.forget_before(changes, true);
        Ok(())
    }

    /// Creates the vault if necessary, then registers its user, both before the first write. So every registered user
    /// has a vault, and a missing one is lost. Excludes purges, which would destroy the new vault's keys and leave its
    /// user registered.
    pub(crate) async fn make(&self, shared: &Shared) -> Result<()> {
        self.made
            .get_or_try_init(|| async {
                let _held = files::lock(lock_of(&self.folder)).await?;
                self.refuse_closed()?;
                if self.was_replaced() {
                    return Err(Error::Purging);
                }
                if !self.exists()? {
                    quarantine::refuse_lost(&self.user, shared).await?;
                    shared.options.refuse_adding()?;
                    // The keys must be durable before the vault exists, or it would be lost.
                    let key = self.file.make_key(&shared.options).await?;
                    shared.template.copy_to(self.path(), key.as_deref(), &shared.options).await?;
                    self.look()?;
                }
                shared.registry.register(&self.user, shared.clock.now()).await
            })
            .await
            .copied()
    }

    /// Runs work on one snapshot. Setting `cancelled` cancels it.
    pub(crate) async fn read(
        &self,
        work: &mut ReadWork,
        options: &SqliteOptions,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<()> {
        let mut lease = self.readers.lease(options, Some(cancelled)).await?;
        let access = Access::<Reading>::new(lease.conn()?, Some(&self.folder)).with_caches(&self.caches);
        let mut access = match self.identity.get() {
            Some(identity) => access.of_file(identity.incarnation()),
            None => access,
        };
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

    /// Writes pending work and closes every connection. The writer goes last, so that no reader blocks its checkpoint.
    pub(crate) async fn close(self: Arc<Self>) {
        self.readers.close().await;
        self.writer.close().await;
    }
}
