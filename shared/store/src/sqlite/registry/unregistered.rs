//! Vaults whose users the registry does not know, as after it was lost or restored from an older backup. Each vault names
//! its owner; its folder is named by the hash of that name. Credentials are stored nowhere else.

use std::collections::HashSet;
use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::audit::{Actor, AuditEntry};
use kimberly_core::damage::VAULTS;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::Clock;
use kimberly_core::time::Timestamp;

use super::SystemDb;
use super::audit::append;
use super::users::register;
use crate::sqlite::conn::Args;
use crate::sqlite::file::{DbFile, Use};
use crate::sqlite::layout::Layout;
use crate::sqlite::moving::refuse_moved;
use crate::sqlite::options::SqliteOptions;
use crate::sqlite::schema::VAULT;
use crate::sqlite::{SqliteStore, erasure, errors, files, folders, in_use, owner, pragmas, quarantine};

/// Users per page of the registry, and per transaction.
const PAGE: usize = 500;

/// What [`SqliteStore::register_vaults`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registered {
    /// Users that the registry did not know.
    pub users: Vec<UserId>,
    /// Number of users that it knew before.
    pub known: u64,
    /// Folders below the data folder that name no user, with the reasons.
    pub left: Vec<(String, String)>,
}

impl SqliteStore {
    /// Adds the users of all vaults to the registry, which it creates if it is missing. Reads only vaults whose users the
    /// registry does not know. Refuses a data folder that a process has open.
    pub async fn register_vaults(options: SqliteOptions, clock: Arc<dyn Clock>) -> Result<Registered> {
        pragmas::silence()?;
        let layout = Layout::new(options.data_dir.clone());
        let root = layout.root().display().to_string();
        if !files::exists(&layout.vaults())? {
            let none = format!("there is nothing to register in {root}: it holds no folder {VAULTS}");
            return Err(Error::storage(StorageFailure::Defect, none));
        }
        let Some(_alone) = in_use::alone(&layout).await? else {
            let used = format!("processes of Kimberly work on {root}: stop them first");
            return Err(Error::storage(StorageFailure::Defect, used));
        };
        refuse_moved(&layout).await?;
        let registry = SystemDb::open_or_replace(&layout, &options).await?;
        let registered = register_all(&registry, &layout, &options, clock.now()).await;
        registry.close().await;
        registered
    }
}

/// Counts the vaults that name an owner whom the registry does not know, or that cannot be read.
pub(crate) async fn unregistered(layout: &Layout, options: &SqliteOptions, registry: &SystemDb) -> Result<u64> {
    let mut count = 0;
    for hash in unknown(layout, registry).await?.0 {
        count += u64::from(match look(&hash, layout, options).await {
            Found::Owned(user) => !registry.knows(&user).await?,
            Found::Unreadable(_) => true,
            Found::Nothing | Found::Purging => false,
        });
    }
    Ok(count)
}

/// Returns the hashes of all vaults whose users the registry does not know, and the number of users that it knows.
async fn unknown(layout: &Layout, registry: &SystemDb) -> Result<(Vec<String>, u64)> {
    // First, so that a vault that is created meanwhile is not taken for an unknown one.
    let mut hashes = folders::all(layout).await?;
    let (mut known, mut after) = (HashSet::new(), None);
    loop {
        let page = registry.users(after.as_ref(), PAGE).await?;
        known.extend(page.iter().map(UserId::folder_name));
        after = page.into_iter().last();
        if after.is_none() {
            break;
        }
    }
    hashes.retain(|hash| !known.contains(hash));
    hashes.sort_unstable();
    Ok((hashes, known.len() as u64))
}

/// What an unknown folder holds.
enum Found {
    Owned(UserId),
    /// No vault, or one in which nothing was ever written.
    Nothing,
    Purging,
    Unreadable(String),
}

async fn look(hash: &str, layout: &Layout, options: &SqliteOptions) -> Found {
    match read(hash, layout, options).await {
        Ok(found) => found,
        Err(Error::Storage { detail, .. }) => Found::Unreadable(detail),
        Err(error) => Found::Unreadable(error.to_string()),
    }
}

async fn read(hash: &str, layout: &Layout, options: &SqliteOptions) -> Result<Found> {
    let folder = layout.vault_of(hash);
    let path = folder.join("memory.db");
    if erasure::is_hidden(&folder)? {
        return Ok(Found::Purging);
    }
    let damage = quarantine::found(&folder)?;
    if !files::exists(&path)? {
        return Ok(damage.map_or(Found::Nothing, |_| Found::Unreadable("its database is gone".to_owned())));
    }
    // Files in quarantine stay as they are.
    let purpose = if damage.is_some() { Use::ReadFrozen } else { Use::Read };
    let (mut conn, version) = DbFile::of_hash(path, &VAULT, hash.to_owned(), options).open(purpose, options).await?;
    let name = if version == 0 { Err(errors::corrupt("it is not a vault")) } else { owner::name(&mut conn).await };
    conn.close().await?;
    let Some(name) = name? else { return Ok(Found::Nothing) };
    let user = UserId::parse(&name).map_err(|_| errors::corrupt("it names an owner out of bounds"))?;
    if user.folder_name() != hash {
        return Err(errors::corrupt("it is the vault of another user"));
    }
    Ok(Found::Owned(user))
}

async fn register_all(
    registry: &SystemDb,
    layout: &Layout,
    options: &SqliteOptions,
    now: Timestamp,
) -> Result<Registered> {
    let (hashes, known) = unknown(layout, registry).await?;
    let mut registered = Registered { known, ..Registered::default() };
    for hash in hashes {
        let why = match look(&hash, layout, options).await {
            Found::Owned(user) => {
                registered.users.push(user);
                continue;
            }
            Found::Nothing => continue,
            Found::Purging => "a purge of its user had begun: purge the user again".to_owned(),
            Found::Unreadable(why) => why,
        };
        let folder = format!("{VAULTS}/{}/{hash}", hash.get(..2).unwrap_or_default());
        registered.left.push((folder, why));
    }
    for page in registered.users.chunks(PAGE) {
        registry.register_page(page, now).await?;
    }
    for user in &registered.users {
        if let Some(damage) = quarantine::found(&layout.vault(user))? {
            registry.quarantine(user, damage, now).await?;
        }
    }
    Ok(registered)
}

impl SystemDb {
    /// Registers users and audits it, in one transaction. Their outboxes may hold jobs.
    async fn register_page(&self, users: &[UserId], now: Timestamp) -> Result<()> {
        let doing = "registering users";
        let mut writing = self.writer().await?;
        let conn = writing.conn()?;
        conn.run(doing, "BEGIN IMMEDIATE", Args::new()).await?;
        let done = async {
            for user in users {
                register(conn, user, now).await?;
            }
            let (actor, count) = (Actor::System, users.len() as u64);
            let action = "vaults.register";
            append(conn, &[AuditEntry { at: now, actor, action, refused: None, subject: None, count }]).await
        };
        let done = done.await;
        if done.is_err() {
            conn.audit_head = None;
        }
        let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = conn.run(doing, end, Args::new()).await;
        done.and(ended.map(drop))
    }
}
