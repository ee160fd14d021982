//! Tests what a first start creates, and how it differs from a data folder whose keys were lost.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use crate::hex::hex;
use crate::secret::fill;
use crate::source::Locations;
use crate::{FileKeyStore, KeyError, KeyName, KeyStore};

/// The header of an unencrypted SQLite database.
const PLAIN: &[u8; 16] = b"SQLite format 3\0";

/// Whether no key was wrapped here yet.
pub(crate) fn is_first(store: &dyn KeyStore) -> Result<bool, KeyError> {
    let databases = store.read(&KeyName::System)?.is_some() || store.read(&KeyName::Queue)?.is_some();
    Ok(!databases && store.list(None, 1)?.is_empty())
}

/// Refuses an encrypted database without its key file: a new key would not open it.
pub(super) fn refuse_orphans(data_dir: &Path, store: &FileKeyStore) -> Result<(), KeyError> {
    for (name, database) in [(KeyName::System, "system.db"), (KeyName::Queue, "queue.db")] {
        if store.read(&name)?.is_none() && is_encrypted(&data_dir.join(database))? {
            return Err(KeyError::Refused(format!(
                "{} is encrypted, but its key file {} is missing; restore {} from its backup",
                data_dir.join(database).display(),
                store.path(&name).display(),
                data_dir.join("keys").display()
            )));
        }
    }
    Ok(())
}

/// Refuses unencrypted databases: they do not open with a key, and nothing encrypts them later.
pub(super) fn refuse_plain(data_dir: &Path) -> Result<(), KeyError> {
    for database in ["system.db", "queue.db"] {
        let file = data_dir.join(database);
        if head(&file)? == PLAIN {
            return Err(plain(&format!("{} is not encrypted", file.display()), "data folder"));
        }
    }
    Ok(())
}

/// The refusal of data that was stored unencrypted.
pub(super) fn plain(found: &str, location: &str) -> KeyError {
    KeyError::Refused(format!(
        "encryption.enabled is true, but {found}; set it to false, or export all users and import them into an empty {location}"
    ))
}

/// Whether a file exists, is not empty and lacks the header of an unencrypted database.
pub(super) fn is_encrypted(file: &Path) -> Result<bool, KeyError> {
    let head = head(file)?;
    Ok(!head.is_empty() && head != PLAIN)
}

/// The first 16 bytes of a file; empty if it is missing.
fn head(file: &Path) -> Result<Vec<u8>, KeyError> {
    let mut head = Vec::new();
    match fs::File::open(file).and_then(|file| file.take(16).read_to_end(&mut head)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(KeyError::io("reading", file, &error)),
        _ => Ok(head),
    }
}

/// The id that keys are bound to, created on the first start.
pub(crate) fn data_id(store: &dyn KeyStore, first: bool) -> Result<String, KeyError> {
    match store.id()? {
        Some(id) => Ok(id),
        None if first => store.get_or_insert_id(&fresh_id()?),
        None => Err(lost_id()),
    }
}

/// The id of a key store outside the data folder. The data folder gets the same id, since files of the account are
/// found by it. A first start takes the data folder's id if it has one.
pub(super) fn shared_id(folder: &FileKeyStore, store: &dyn KeyStore, first: bool) -> Result<String, KeyError> {
    let own = folder.id()?;
    let id = match (store.id()?, &own) {
        (Some(id), _) => id,
        (None, _) if !first => return Err(lost_id()),
        (None, Some(own)) => store.get_or_insert_id(own)?,
        (None, None) => store.get_or_insert_id(&fresh_id()?)?,
    };
    match own {
        None => drop(folder.get_or_insert_id(&id)?),
        Some(own) if own == id => {}
        // Nothing is bound to the id of a folder that never held keys.
        Some(_) if is_first(folder)? => folder.change_id(&id)?,
        Some(own) => {
            return Err(KeyError::Refused(format!(
                "the data folder {own} holds keys of vaults of its own, but the database has those of {id}; use \
                 another data_dir for this database"
            )));
        }
    }
    Ok(id)
}

fn fresh_id() -> Result<String, KeyError> {
    let mut bytes = [0; 8];
    fill(&mut bytes)?;
    Ok(hex(&bytes))
}

fn lost_id() -> KeyError {
    KeyError::damaged("the id of the keys", "it is missing, and the keys beside it can be opened only with it")
}

/// Creates the missing files of both rings, whichever rings this process needs; returns one line that says so.
pub(super) fn make_rings(locations: &Locations, data_id: &str, data_dir: &Path) -> Result<Option<String>, KeyError> {
    let mut made = Vec::new();
    for location in [&locations.master, &locations.sensitive] {
        if let Some(path) = location.create_missing(data_id)? {
            made.push(path.display().to_string());
        }
    }
    Ok((!made.is_empty()).then(|| {
        format!(
            "created the keys of {}: {}; without them nothing can be read, backups included: store a copy separate \
             from the data",
            data_dir.display(),
            made.join(" and ")
        )
    }))
}
