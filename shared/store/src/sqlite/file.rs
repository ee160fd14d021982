//! A database file: its path, its key, and opening it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_crypto::{DbKey, UserKeys, folder_of, overwrite_index_in_place};
use tokio::sync::OnceCell;

use super::conn::Conn;
use super::layout::lock_of;
use super::options::SqliteOptions;
use super::pragmas::{self, How};
use super::quarantine::{self, Evidence};
use super::schema::Schema;
use super::turn::Turns;
use super::{errors, files};
use crate::sealed::Seals;

/// Attempts to open a new file that another process encrypts at the same moment. A process that opened it while it was
/// empty has generated a different salt.
const TRIES: usize = 5;

/// Purpose of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Reading; its statements can be cancelled.
    Read,
    /// Reading a file that is never written.
    ReadFrozen,
    /// Writing.
    Write,
    /// Writing, creating the file if necessary.
    Make,
}

/// A database file.
pub(crate) struct DbFile {
    path: PathBuf,
    schema: &'static Schema,
    key: Key,
    /// The seals of the vault's owner.
    seals: Option<Arc<Seals>>,
    /// Set once the vault's log was checked for completeness; set from the start for files without that check.
    log: OnceCell<()>,
}

enum Key {
    /// The file is not encrypted.
    Off,
    /// A key known from the start.
    Known(Arc<DbKey>),
    /// The key of a user's vault, read for the first connection.
    OfVault { hash: String, found: OnceCell<Arc<DbKey>> },
}

impl DbFile {
    /// A file with this key, or an unencrypted one.
    pub(crate) fn new(path: PathBuf, schema: &'static Schema, key: Option<DbKey>) -> Self {
        let key = key.map_or(Key::Off, |key| Key::Known(Arc::new(key)));
        Self { path, schema, key, seals: None, log: OnceCell::new_with(Some(())) }
    }

    /// The same file with access to sealed memories.
    pub(crate) fn with_seals(self, seals: Arc<Seals>) -> Self {
        Self { seals: Some(seals), ..self }
    }

    /// A user's vault.
    pub(crate) fn of_vault(path: PathBuf, schema: &'static Schema, user: &UserId, options: &SqliteOptions) -> Self {
        Self::of_hash(path, schema, user.folder_name(), options)
    }

    /// The vault of the user with this hash.
    pub(crate) fn of_hash(path: PathBuf, schema: &'static Schema, hash: String, options: &SqliteOptions) -> Self {
        let key = if options.keys.are_on() { Key::OfVault { hash, found: OnceCell::new() } } else { Key::Off };
        Self { path, schema, key, seals: None, log: OnceCell::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn schema(&self) -> &'static Schema {
        self.schema
    }

    /// Creates the keys of a new vault; they are durable on return. `None` if encryption is off.
    pub(crate) async fn make_key(&self, options: &SqliteOptions) -> Result<Option<Arc<DbKey>>> {
        match &self.key {
            Key::Off => Ok(None),
            Key::Known(key) => Ok(Some(Arc::clone(key))),
            Key::OfVault { hash, found } => found
                .get_or_try_init(|| async {
                    let (keys, hash) = (options.keys.clone(), hash.clone());
                    let made = files::off_thread(move || keys.make_user(&hash)).await?;
                    Ok(self.hold(made.map_err(|error| errors::key(&error))?))
                })
                .await
                .map(|key| Some(Arc::clone(key))),
        }
    }

    /// Opens a connection and returns it with the file's schema version. Refuses files of another kind or a newer build.
    pub(crate) async fn open(&self, purpose: Use, options: &SqliteOptions) -> Result<(Conn, i64)> {
        let (mut conn, version) = self.open_file(purpose, options).await?;
        if let Some(seals) = &self.seals {
            seals.look().await?;
            conn.seals = Some(Arc::clone(seals));
        }
        Ok((conn, version))
    }

    async fn open_file(&self, purpose: Use, options: &SqliteOptions) -> Result<(Conn, i64)> {
        options.refuse_mapping()?;
        self.log.get_or_try_init(|| self.look_at_log()).await?;
        let (hash, found) = match &self.key {
            Key::Off => return self.connect(purpose, options, None).await,
            Key::Known(key) => return self.connect_to_new(purpose, options, key).await,
            Key::OfVault { hash, found } => (hash, found),
        };
        let key = found.get_or_try_init(|| self.find_key(hash, options)).await?;
        match self.connect(purpose, options, Some(key)).await {
            Err(error) if errors::is_no_database(&error) => self.connect_again(purpose, options, hash).await,
            opened => opened,
        }
    }

    /// Opens with the key file's current key: vault and key may have been restored since the cached key was read.
    async fn connect_again(&self, purpose: Use, options: &SqliteOptions, hash: &str) -> Result<(Conn, i64)> {
        let _held = files::lock(lock_of(folder_of(&self.path))).await?;
        let key = self.find_key(hash, options).await?;
        self.connect(purpose, options, Some(&key)).await.map_err(|error| {
            if !errors::is_no_database(&error) {
                return error;
            }
            errors::corrupt(
                "the vault does not open: it is not an encrypted database, or not that of its key file; restore both \
                 from one backup",
            )
        })
    }

    /// Stores the keys for sealed memories, and returns the page key.
    fn hold(&self, user: UserKeys) -> Arc<DbKey> {
        if let Some(seals) = &self.seals {
            seals.hold(user.sealer);
        }
        Arc::new(user.db)
    }

    /// Runs before SQLite opens the file, because opening rebuilds the log's index.
    async fn look_at_log(&self) -> Result<()> {
        let path = self.path.clone();
        files::off_thread(move || quarantine::refuse_shortened(&path, Evidence::Index)).await?
    }

    async fn find_key(&self, hash: &str, options: &SqliteOptions) -> Result<Arc<DbKey>> {
        let (keys, name) = (options.keys.clone(), hash.to_owned());
        let found = files::off_thread(move || keys.user(&name)).await?.map_err(|error| errors::key(&error))?;
        let missing = "the vault does not open: its key file is missing; restore data/keys from its backup";
        found.map(|user| self.hold(user)).ok_or_else(|| errors::corrupt(missing))
    }

    async fn connect_to_new(&self, purpose: Use, options: &SqliteOptions, key: &DbKey) -> Result<(Conn, i64)> {
        for _ in 1..TRIES {
            match self.connect(purpose, options, Some(key)).await {
                Err(error) if purpose == Use::Make && errors::is_no_database(&error) => {
                    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                }
                opened => return opened,
            }
        }
        self.connect(purpose, options, Some(key)).await
    }

    fn writing(&self, conn: Conn, options: &SqliteOptions) -> Conn {
        conn.take_back_by(self.schema.stamp_again()).in_turn(Turns::new(folder_of(&self.path), options))
    }

    async fn connect(&self, purpose: Use, options: &SqliteOptions, key: Option<&DbKey>) -> Result<(Conn, i64)> {
        if purpose != Use::ReadFrozen {
            overwrite_index_in_place(&self.path);
        }
        let how = |make: fn(&Path, &SqliteOptions, Option<&DbKey>) -> How| make(&self.path, options, key);
        let mut conn = match purpose {
            Use::Read => Conn::open(&how(pragmas::reader), options.busy_timeout)?,
            Use::ReadFrozen => Conn::open(&pragmas::frozen(&self.path, options, key)?, options.busy_timeout)?,
            Use::Write => self.writing(Conn::open(&how(pragmas::writer), options.busy_timeout)?, options),
            Use::Make => self.writing(Conn::open(&how(pragmas::maker), options.busy_timeout)?, options),
        };
        match self.schema.check(&mut conn).await {
            Ok(version) => Ok((conn, version)),
            Err(error) => {
                // The first error is the one to report.
                let _ = conn.close().await;
                Err(error)
            }
        }
    }
}
