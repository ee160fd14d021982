//! Key files in `data/keys/`: `system.key`, `queue.key`, `users/3f/<hash>.key`.
//!
//! Writers hold the lock of the folder (`.lock`) from read to rename; readers take no lock. A write is staged as
//! `.<name>.new`, synced, then linked or renamed. A file is renamed to `.<name>.gone` before it is overwritten, so
//! that its name never shows half of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Created, Destroyed, KeyName, KeyStore, MAX_KEY_FILE_BYTES, UserHash};
use crate::KeyError;
use crate::folders::{
    Lock, make_private, publish_new, publish_over, publish_over_wiping, read_bounded, sync, wipe, write_staged,
};
use crate::hex::is_hex;

/// Key files below one folder.
#[derive(Clone, Debug)]
pub struct FileKeyStore {
    root: PathBuf,
}

/// The paths that one name may use.
struct Paths {
    folder: PathBuf,
    lock: PathBuf,
    file: PathBuf,
    staged: PathBuf,
    gone: PathBuf,
}

impl FileKeyStore {
    /// Stores key files below `root`, which must exist.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Replaces the id; nothing may be bound to the old one.
    pub(crate) fn change_id(&self, id: &str) -> Result<(), KeyError> {
        let _held = Lock::wait(&self.root.join(".files.lock"))?;
        let staged = self.root.join(".id.new");
        write_staged(&staged, format!("{id}\n").as_bytes())?;
        publish_over(&staged, &self.root.join("id"))
    }

    /// The path of a name's file.
    pub fn path(&self, name: &KeyName) -> PathBuf {
        self.paths(name).file
    }

    fn paths(&self, name: &KeyName) -> Paths {
        let (folder, lock) = match name {
            // A start holds `.lock` of the folder itself.
            KeyName::System | KeyName::Queue => (self.root.clone(), ".files.lock"),
            KeyName::User(hash) => (self.users().join(&hash.as_str()[..2]), ".lock"),
        };
        let of = |before: &str, after: &str| folder.join(format!("{before}{}{after}", name.name()));
        let (file, staged, gone) = (of("", ".key"), of(".", ".new"), of(".", ".gone"));
        Paths { lock: folder.join(lock), folder, file, staged, gone }
    }

    fn users(&self) -> PathBuf {
        self.root.join("users")
    }
}

impl KeyStore for FileKeyStore {
    fn id(&self) -> Result<Option<String>, KeyError> {
        let file = self.root.join("id");
        let Some(bytes) = read_bounded(&file, 64)? else { return Ok(None) };
        let text = std::str::from_utf8(&bytes).unwrap_or_default().trim_end();
        let damaged = || KeyError::damaged(file.display().to_string(), "it is not 16 hexadecimal digits");
        if is_hex(text, 16) { Ok(Some(text.to_owned())) } else { Err(damaged()) }
    }

    fn get_or_insert_id(&self, id: &str) -> Result<String, KeyError> {
        let _held = Lock::wait(&self.root.join(".files.lock"))?;
        let staged = self.root.join(".id.new");
        write_staged(&staged, format!("{id}\n").as_bytes())?;
        publish_new(&staged, &self.root.join("id"))?;
        Ok(self.id()?.unwrap_or_else(|| id.to_owned()))
    }

    fn read(&self, name: &KeyName) -> Result<Option<Vec<u8>>, KeyError> {
        let file = self.path(name);
        let read = || Ok(read_bounded(&file, MAX_KEY_FILE_BYTES)?.map(|mut bytes| std::mem::take(&mut *bytes)));
        match read()? {
            // JSON has no zero bytes: the file was wiped while it was open, so read again.
            Some(bytes) if bytes.contains(&0) => read(),
            other => Ok(other),
        }
    }

    fn create_new(&self, name: &KeyName, bytes: &[u8]) -> Result<Created, KeyError> {
        let paths = self.paths(name);
        make_private(&paths.folder)?;
        let _held = Lock::wait(&paths.lock)?;
        wipe(&paths.gone)?;
        write_staged(&paths.staged, bytes)?;
        Ok(if publish_new(&paths.staged, &paths.file)? { Created::Made } else { Created::Existed })
    }

    fn replace(&self, name: &KeyName, old: &[u8], new: &[u8]) -> Result<bool, KeyError> {
        let paths = self.paths(name);
        if !paths.folder.is_dir() {
            return Ok(false);
        }
        let _held = Lock::wait(&paths.lock)?;
        if self.read(name)?.as_deref() != Some(old) {
            return Ok(false);
        }
        write_staged(&paths.staged, new)?;
        // The superseded wrapped key must not open once the user is purged.
        publish_over_wiping(&paths.staged, &paths.file)?;
        Ok(true)
    }

    fn destroy(&self, name: &KeyName) -> Result<Destroyed, KeyError> {
        let paths = self.paths(name);
        if !paths.folder.is_dir() {
            return Ok(Destroyed::Absent);
        }
        let _held = Lock::wait(&paths.lock)?;
        let mut found = wipe(&paths.gone)?;
        match fs::rename(&paths.file, &paths.gone) {
            Ok(()) => sync(&paths.folder)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(KeyError::io("removing", &paths.file, &error)),
        }
        found |= wipe(&paths.gone)?;
        found |= wipe(&paths.staged)?;
        sync(&paths.folder)?;
        Ok(if found { Destroyed::Done } else { Destroyed::Absent })
    }

    fn list(&self, after: Option<&UserHash>, limit: usize) -> Result<Vec<UserHash>, KeyError> {
        let mut found = Vec::new();
        for shard in sorted(&self.users())?.into_iter().filter(|name| is_hex(name, 2)) {
            // The folder `3f` holds the hashes that start with it.
            if found.len() >= limit || after.is_some_and(|after| shard.as_str() < &after.as_str()[..2]) {
                continue;
            }
            let names = sorted(&self.users().join(&shard))?;
            let hashes = names.iter().filter_map(|name| UserHash::parse(name.strip_suffix(".key")?));
            let here =
                hashes.filter(|hash| hash.as_str().starts_with(&shard) && after.is_none_or(|after| hash > after));
            found.extend(here.take(limit - found.len()));
        }
        Ok(found)
    }
}

/// Names in a folder, sorted; empty if the folder is missing.
fn sorted(folder: &Path) -> Result<Vec<String>, KeyError> {
    let failed = |error: io::Error| KeyError::io("listing", folder, &error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        // We write only UTF-8 names.
        if let Ok(name) = entry.map_err(failed)?.file_name().into_string() {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests;
