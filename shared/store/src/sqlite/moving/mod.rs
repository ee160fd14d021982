//! A data folder as one side of a move.

mod fill;
mod read;
mod record;
mod remove;
mod sql;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::{FileKeyStore, KeySources, KeyStore, Keys, Loads};

use super::conn::{Args, Conn};
use super::file::{DbFile, Use};
use super::identity::Identity;
use super::layout::Layout;
use super::options::SqliteOptions;
use super::registry::{SystemDb, user_of};
use super::rows::{Cells, ReadRow as _};
use super::schema::{SYSTEM, VAULT};
use super::template::Template;
use super::{erasure, errors, files, folders, in_use, owner, pragmas, quarantine, readers};
use crate::moving::refused;
use crate::moving::side::{Filling, Held, Known, MoveRecord, PAGE, Rows, Side};
use fill::{FillingSystem, FillingVault};
use read::FileRows;
use record::Copied;
pub(crate) use record::refuse_moved;

const USERS: &str = "SELECT id FROM users WHERE id > ? ORDER BY id LIMIT +?";
const FIRST_USERS: &str = "SELECT id FROM users WHERE id >= ? ORDER BY id LIMIT +?";
const COUNT: &str = "SELECT count(*) FROM users";
const NAME: &str = "SELECT name FROM audit_log";
const STAMP: &str = "SELECT (SELECT items FROM counters WHERE slot = 13), settings_revision FROM vault";

/// A data folder.
pub(crate) struct Files(Arc<Inner>);

pub(super) struct Inner {
    layout: Layout,
    given: SqliteOptions,
    /// Sources of the key rings; `None` without encryption.
    sources: Option<KeySources>,
    /// The options with keys, once the folder is open.
    opened: OnceLock<SqliteOptions>,
    template: Template,
    log: Copied,
    /// Whether this is the source.
    is_left: bool,
}

impl Inner {
    fn options(&self) -> Result<&SqliteOptions> {
        self.opened.get().ok_or_else(|| Error::storage(StorageFailure::Defect, "the data folder is not open yet"))
    }

    fn vault_file(&self, user: &UserId) -> PathBuf {
        self.layout.vault(user).join("memory.db")
    }

    fn file_of(&self, user: &UserId, path: PathBuf) -> Result<DbFile> {
        Ok(DbFile::of_vault(path, &VAULT, user, self.options()?))
    }

    /// Opens a connection to `system.db`.
    async fn system(&self, purpose: Use) -> Result<Conn> {
        let options = self.options()?;
        let key = options.keys.system().map_err(|error| errors::key(&error))?;
        let file = DbFile::new(self.layout.system_db(), &SYSTEM, key);
        Ok(file.open(purpose, options).await?.0)
    }

    /// Opens a connection to a user's vault, migrating it first; checks its owner.
    async fn vault(&self, user: &UserId, path: PathBuf) -> Result<Conn> {
        let (options, file) = (self.options()?, self.file_of(user, path)?);
        let (mut conn, version) = file.open(Use::Read, options).await?;
        if version != VAULT.version() {
            conn.close().await?;
            readers::migrate(&file, &VAULT, options).await?;
            conn = file.open(Use::Read, options).await?.0;
        }
        owner::check(&mut conn, user).await?;
        Ok(conn)
    }
}

impl Files {
    /// Examines a folder without changing it.
    pub(crate) fn open(options: SqliteOptions, sources: Option<KeySources>, is_left: bool) -> Result<Self> {
        pragmas::silence()?;
        let layout = Layout::new(options.data_dir.clone());
        let root = options.data_dir.display();
        if is_left && !layout.system_db().exists() {
            return Err(refused(format!(
                "there is nothing to move in {root}: it contains no system.db; name the data folder that Kimberly uses"
            )));
        }
        let inner = Inner {
            template: Template::new(&layout),
            log: Copied::new(&layout),
            layout,
            given: options,
            sources,
            opened: OnceLock::new(),
            is_left,
        };
        Ok(Self(Arc::new(inner)))
    }

    async fn keys_of(&self) -> Result<Keys> {
        let (data, sources) = (self.0.given.data_dir.clone(), self.0.sources.clone());
        let open = move || match sources {
            Some(sources) => Keys::open(&data, &sources, Loads::Both),
            None => Keys::off_for(&data),
        };
        files::off_thread(open).await?.map_err(|error| refused(error.to_string()))
    }

    async fn one<T: Send>(&self, sql: &'static str, read: fn(&mut Cells<'_>) -> Result<T>) -> Result<T> {
        let mut conn = self.0.system(Use::Read).await?;
        let found = conn.row("reading the registry", sql, Args::new(), |row| read(&mut Cells::new(row))).await;
        conn.close().await?;
        found?.ok_or_else(|| errors::corrupt("the registry lacks a row"))
    }
}

/// Holds the exclusive lock while it exists.
struct Alone(#[expect(dead_code, reason = "it is held by being there")] std::fs::File);

#[async_trait]
impl Held for Alone {
    async fn held(&mut self) -> bool {
        true
    }

    async fn end(self: Box<Self>) {}
}

#[async_trait]
impl Side for Files {
    fn shown(&self) -> String {
        let root = self.0.layout.root();
        std::path::absolute(root).unwrap_or_else(|_| root.to_owned()).display().to_string()
    }

    fn undo(&self) -> String {
        record::undo(&self.0.layout)
    }

    fn stores_attachments(&self) -> bool {
        true
    }

    fn keys(&self) -> Arc<dyn KeyStore> {
        Arc::new(FileKeyStore::new(self.0.layout.root().join("keys")))
    }

    async fn move_record(&self) -> Result<Option<MoveRecord>> {
        record::read(&self.0.layout).await
    }

    async fn set_move_record(&self, record: &MoveRecord) -> Result<()> {
        record::write(&self.0.layout, record).await
    }

    async fn hold(&self) -> Result<Option<Box<dyn Held>>> {
        if !self.0.is_left {
            let root = self.0.layout.root().to_owned();
            let make = move || {
                use std::os::unix::fs::DirBuilderExt as _;
                std::fs::DirBuilder::new().recursive(true).mode(0o700).create(root.join("keys"))
            };
            files::off_thread(make).await?.map_err(|error| errors::io("creating the data folder", &error))?;
        }
        let held = in_use::alone(&self.0.layout).await?;
        Ok(held.map(|file| Box::new(Alone(file)) as Box<dyn Held>))
    }

    async fn is_empty(&self) -> Result<bool> {
        let root = self.0.layout.root();
        let is_there = |name: &&str| root.join(name).exists();
        if ["system.db", "queue.db", "keys/system.key", "keys/users"].iter().any(is_there) {
            return Ok(false);
        }
        // Folders of unknown users are removed at the end, so there must be none before the move.
        Ok(folders::all(&self.0.layout).await?.is_empty())
    }

    async fn open(&self) -> Result<()> {
        let keys = self.keys_of().await?;
        let options = SqliteOptions { keys, ..self.0.given.clone() };
        // Creates `system.db` if it is missing, and migrates it.
        SystemDb::open(&self.0.layout, &options).await?.close().await;
        let _ = self.0.opened.set(options);
        self.0.log.load().await
    }

    async fn installation(&self) -> Result<String> {
        self.one(NAME, |c| c.text()).await
    }

    async fn users(&self, after: Option<&UserId>) -> Result<Vec<UserId>> {
        let sql = if after.is_some() { USERS } else { FIRST_USERS };
        let args = Args::new().with(after.map_or("", UserId::as_str).to_owned());
        let args = args.with(i64::try_from(PAGE).unwrap_or(i64::MAX));
        let mut conn = self.0.system(Use::Read).await?;
        let users = conn.rows("listing users", sql, args, |row| user_of(Cells::new(row).str()?)).await;
        conn.close().await?;
        users
    }

    async fn count_users(&self) -> Result<u64> {
        self.one(COUNT, |c| c.count()).await
    }

    async fn read(&self, user: &UserId) -> Result<Option<(Box<dyn Rows>, String)>> {
        let (folder, path) = (self.0.layout.vault(user), self.0.vault_file(user));
        if erasure::is_hidden(&folder)? {
            return Err(Error::Purging);
        }
        if let Some(damage) = quarantine::found(&folder)? {
            return Err(Error::Quarantined { damage });
        }
        let Some(identity) = Identity::at(&path)? else { return Ok(None) };
        let mut rows = FileRows::new(self.0.vault(user, path).await?);
        let stamp = rows.0.row("reading the counters", STAMP, Args::new(), |row| {
            let c = &mut Cells::new(row);
            Ok(format!("{:x}-{}-{}", identity.incarnation(), c.int()?, c.int()?))
        });
        let stamp = stamp.await?.ok_or_else(|| errors::corrupt("the vault lacks a row"))?;
        Ok(Some((Box::new(rows), stamp)))
    }

    async fn read_all(&self) -> Result<Box<dyn Rows>> {
        Ok(Box::new(FileRows::new(self.0.system(Use::Read).await?)))
    }

    async fn has_attachments(&self, user: &UserId) -> Result<bool> {
        let folder = self.0.layout.vault(user).join("attachments");
        let look = move || match std::fs::read_dir(folder) {
            Ok(mut entries) => Ok(entries.next().is_some()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        };
        files::off_thread(look).await?.map_err(|error| errors::io("checking for attachments", &error))
    }

    async fn fill(&self, user: &UserId) -> Result<Box<dyn Filling>> {
        Ok(Box::new(FillingVault::begin(&self.0, user).await?))
    }

    async fn fill_all(&self) -> Result<Box<dyn Filling>> {
        Ok(Box::new(FillingSystem::begin(self.0.system(Use::Write).await?).await?))
    }

    async fn known(&self, user: &UserId) -> Result<Option<Known>> {
        Ok(self.0.log.of(&user.folder_name()).await)
    }

    async fn forget(&self, user: &UserId) -> Result<()> {
        self.0.log.know(&user.folder_name(), None).await
    }

    async fn remove(&self, user: &UserId) -> Result<()> {
        self.remove_hash(&user.folder_name()).await
    }

    async fn remove_strangers(&self) -> Result<u64> {
        self.remove_all_strangers().await
    }

    async fn close(&self) {}
}
