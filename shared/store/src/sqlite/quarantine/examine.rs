//! Reads a whole vault, or another database, to distinguish damage from everything else. A file can be unreadable to
//! this build without being damaged; that is no reason for quarantine.

use kimberly_core::UserId;
use kimberly_core::damage::Damage;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::KeyError;

use super::{Evidence, refuse_shortened};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::file::{DbFile, Use};
use crate::sqlite::options::SqliteOptions;
use crate::sqlite::rows::{Cells, ReadRow as _};
use crate::sqlite::schema::VAULT;
use crate::sqlite::shared::Shared;
use crate::sqlite::vault::Vault;
use crate::sqlite::{errors, files, owner};

/// Reads every page, with its checksum if encrypted, and checks how the pages link to each other.
const CHECK: &str = "PRAGMA quick_check(10)";
/// How SQLite's messages about an inconsistent full-text index begin. It is derived and can be rebuilt, and one that a
/// rebuild has replaced is removed in pages.
const DERIVED: [&str; 3] = ["malformed inverted index", "unable to validate the inverted index", "fts5: corruption"];

/// Returns the damage of a user's vault; `None` if it is intact or never existed.
pub(super) async fn examine(user: &UserId, shared: &Shared, evidence: Evidence) -> Result<Option<Damage>> {
    let path = Vault::path_of(user, shared);
    if !files::exists(&path)? {
        return Ok(super::is_lost(user, shared).await?.then_some(Damage::Missing));
    }
    if let Some(damage) = examine_keys(user, shared).await? {
        return Ok(Some(damage));
    }
    let logged = path.clone();
    if files::off_thread(move || refuse_shortened(&logged, evidence)).await?.is_err_and(|error| is_damage(&error)) {
        return Ok(Some(Damage::Log));
    }
    let file = DbFile::of_vault(path, &VAULT, user, &shared.options);
    let (mut conn, version) = match file.open(Use::Read, &shared.options).await {
        Ok(opened) => opened,
        Err(error) if errors::is_newer(&error) => return Ok(None),
        Err(error) if errors::is_malformed(&error) => return Ok(Some(Damage::Pages)),
        Err(error) if is_damage(&error) => return Ok(Some(unopened(user, shared).await?)),
        Err(error) => return Err(error),
    };
    let found = if version == 0 { Ok(Some(Damage::NoDatabase)) } else { examine_pages(&mut conn, user).await };
    // The result matters, not whether closing succeeds.
    let _ = conn.close().await;
    found
}

async fn examine_keys(user: &UserId, shared: &Shared) -> Result<Option<Damage>> {
    let (keys, hash) = (shared.options.keys.clone(), user.folder_name());
    match files::off_thread(move || keys.user(&hash)).await? {
        Ok(_) => Ok(None),
        Err(KeyError::Damaged { .. } | KeyError::Unopened { .. }) => Ok(Some(Damage::KeyFile)),
        Err(error) => Err(errors::key(&error)),
    }
}

/// Returns why a file does not open: an encrypted one needs its key file.
async fn unopened(user: &UserId, shared: &Shared) -> Result<Damage> {
    let (keys, hash) = (shared.options.keys.clone(), user.folder_name());
    let has_keys = !keys.are_on() || files::off_thread(move || keys.has_user(&hash)).await?.unwrap_or(true);
    Ok(if has_keys { Damage::NoDatabase } else { Damage::KeyFile })
}

/// Reports whether a database that is no vault opens and all of its pages are intact. Uses a new connection, because
/// existing ones have pages cached.
pub(crate) async fn is_whole(file: &DbFile, options: &SqliteOptions) -> Result<bool> {
    let mut conn = match file.open(Use::Read, options).await {
        Ok((conn, _)) => conn,
        Err(error) if is_damage(&error) && !errors::is_newer(&error) => return Ok(false),
        Err(error) => return Err(error),
    };
    let whole = pages_are_whole(&mut conn).await;
    // The result matters, not whether closing succeeds.
    let _ = conn.close().await;
    whole
}

async fn pages_are_whole(conn: &mut Conn) -> Result<bool> {
    let mut told = Vec::new();
    let checked = conn
        .for_each("checking a database", CHECK, Args::new(), |row| {
            told.push(Cells::new(row).text()?);
            Ok(true)
        })
        .await;
    if told.iter().any(|row| errors::is_unreadable(row)) {
        let failed = "checking a database: the disk does not give all of its pages";
        return Err(Error::storage(StorageFailure::Disk, failed));
    }
    match checked {
        Ok(_) => Ok(told.iter().all(|row| row == "ok" || DERIVED.iter().any(|message| row.starts_with(message)))),
        Err(error) if is_damage(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

async fn examine_pages(conn: &mut Conn, user: &UserId) -> Result<Option<Damage>> {
    if !pages_are_whole(conn).await? {
        return Ok(Some(Damage::Pages));
    }
    match owner::check(conn, user).await {
        Ok(_) => Ok(None),
        Err(error) if is_damage(&error) => Ok(Some(Damage::Misplaced)),
        Err(error) => Err(error),
    }
}

fn is_damage(error: &Error) -> bool {
    matches!(error, Error::Storage { failure: StorageFailure::Corrupt, .. })
}
