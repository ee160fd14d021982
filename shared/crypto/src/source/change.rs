//! Changes a ring's file: appends a new key and later removes the old ones. Concurrent wrapping waits and rereads the
//! ring: once a key is added, only that one wraps.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::copies::beside;
use super::{KeySource, RingLocation, file};
use crate::folders::{Lock, publish_over_wiping, read_bounded, remove, wipe, write_staged};
use crate::key_ring;
use crate::keys::rings_lock;
use crate::{
    FileKeyStore, KeyError, KeyId, KeyName, KeyStore as _, MAX_KEYS, MAX_RING_BYTES, Ring, RingName, Survey, survey,
};

/// Maximum size of the file of removed keys, in bytes.
const MAX_REMOVED_BYTES: usize = 64 * 1024;

/// The outcome of adding a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// The ring has this new key, which wraps from now on.
    New(KeyId),
    /// No key was added, since key files still need an older key than the current one: the last rotation is
    /// incomplete.
    UnderWay {
        /// The current key.
        current: KeyId,
        /// Key files that need an older one.
        left: u64,
    },
}

/// The outcome of removing old keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Keys removed from the ring.
    pub keys: Vec<KeyId>,
    /// The file that keeps them for backups; `None` if they were destroyed or none was removed.
    pub kept: Option<PathBuf>,
    /// Whether the file of removed keys was destroyed.
    pub destroyed: bool,
}

impl RingLocation {
    /// Adds a new key to the ring's file, unless an earlier rotation is incomplete. Durable on return and atomic
    /// after a kill. If the ring is not a file, or belongs to another account, refuses and says what to do by hand.
    pub fn add_key(&self, data_dir: &Path) -> Result<Added, KeyError> {
        let path = self.changeable("add a key", "add a new key from `openssl rand -base64 32` as the last one")?;
        let _held = Lock::wait(&rings_lock(&data_dir.join("keys")))?;
        let (text, ring) = self.text(&path)?;
        let left = wrapped_here(self, data_dir)?.left(self.ring(), ring.current());
        if left > 0 {
            return Ok(Added::UnderWay { current: ring.current().clone(), left });
        }
        if ring.ids().count() >= MAX_KEYS {
            return Err(KeyError::Refused(format!(
                "{} contains {MAX_KEYS} keys, the maximum; `kimberly rings retire {}` removes those that nothing needs",
                path.display(),
                self.ring()
            )));
        }
        let (fresh, line) = Ring::generate()?;
        let mut content = Zeroizing::new(String::with_capacity(MAX_RING_BYTES + 64));
        content.push_str(&text);
        if !text.ends_with('\n') {
            content.push('\n');
        }
        content.push_str(&line);
        if content.len() > MAX_RING_BYTES {
            return Err(KeyError::Refused(format!(
                "{} would be longer than {MAX_RING_BYTES} bytes; remove some of its comments",
                path.display()
            )));
        }
        replace(&path, content.as_bytes())?;
        Ok(Added::New(fresh.current().clone()))
    }

    /// Removes every key but the current one from the ring's file. They move to a file beside it, since backups of
    /// `data/keys` may need them; with `destroy`, that file is destroyed too. Refused while a key file needs one of
    /// them or cannot be read.
    pub fn remove_old_keys(&self, data_dir: &Path, destroy: bool) -> Result<Removed, KeyError> {
        let path = self.changeable("remove keys", "remove the old keys that nothing needs (`kimberly rings`)")?;
        let _held = Lock::wait(&rings_lock(&data_dir.join("keys")))?;
        let (text, ring) = self.text(&path)?;
        refuse_needed(self.ring(), &ring, &wrapped_here(self, data_dir)?)?;
        let old: BTreeSet<KeyId> = ring.ids().filter(|id| *id != ring.current()).cloned().collect();
        let kept = beside(&path, "removed");
        if !old.is_empty() {
            if !destroy {
                append_removed(&kept, &path, &text, &old)?;
            }
            replace(&path, without(&text, &old).as_bytes())?;
        }
        let destroyed = destroy && wipe_with_beginning(&kept)?;
        let kept = (!destroy && !old.is_empty()).then_some(kept);
        Ok(Removed { keys: old.into_iter().collect(), kept, destroyed })
    }

    /// The file to change, with links resolved. The error for a ring that is no file says what to do by hand.
    fn changeable(&self, doing: &str, by_hand: &str) -> Result<PathBuf, KeyError> {
        let ring = self.ring();
        let location = match self.location().source() {
            KeySource::File(path) => {
                return fs::canonicalize(path).map_err(|error| KeyError::io("following", path, &error));
            }
            KeySource::Variable(name) => format!("in the variable {name}, then start the processes again"),
            KeySource::Credential(name) => {
                format!("in the unit's LoadCredential= {name}, then restart it")
            }
            KeySource::Command(program) => {
                format!("in the output of {}; it is run again within minutes", program.display())
            }
        };
        Err(KeyError::Refused(format!(
            "keys.{ring} comes from {self}, so Kimberly cannot {doing}: {by_hand} {location} (docs/keys.md)"
        )))
    }

    fn text(&self, path: &Path) -> Result<(Zeroizing<String>, Ring), KeyError> {
        let gone = || KeyError::Source(format!("the {} key at {} is gone", self.ring(), path.display()));
        let ring = self.location().load()?.ok_or_else(gone)?;
        let bytes = file::read(path)?.ok_or_else(gone)?;
        // It parsed as a ring, so it is valid UTF-8.
        Ok((Zeroizing::new(String::from_utf8_lossy(&bytes).into_owned()), ring))
    }
}

/// The ring keys that the data folder needs; refused if its wrapped keys are stored elsewhere, where they cannot be
/// counted.
fn wrapped_here(location: &RingLocation, data_dir: &Path) -> Result<Survey, KeyError> {
    let folder = data_dir.join("keys");
    if FileKeyStore::new(&folder).read(&KeyName::System)?.is_some() {
        return survey(data_dir);
    }
    Err(KeyError::Refused(format!(
        "{} holds no wrapped keys because they are in the database; change {location} on every machine by hand (docs/keys.md)",
        folder.display()
    )))
}

fn refuse_needed(ring: RingName, keys: &Ring, survey: &Survey) -> Result<(), KeyError> {
    let left = survey.left(ring, keys.current());
    if left > 0 {
        return Err(KeyError::Refused(format!(
            "{left} of {} key files still need an older {ring} key than {}; the worker rewraps them while it runs, \
             and `kimberly rings` shows the progress",
            survey.files,
            keys.current()
        )));
    }
    if let Some(problem) = survey.problems.first() {
        return Err(KeyError::Refused(format!(
            "{} key files cannot be read, so old keys cannot be removed safely: {problem}; restore them from a backup of \
             data/keys, or purge their users",
            survey.unreadable
        )));
    }
    Ok(())
}

/// Wipes the file of removed keys and the staging file that a killed process left; returns whether either existed.
fn wipe_with_beginning(file_of_removed: &Path) -> Result<bool, KeyError> {
    let (whole, beginning) = (wipe(file_of_removed)?, wipe(&staged(file_of_removed))?);
    Ok(whole || beginning)
}

/// Appends removed keys to those removed earlier.
fn append_removed(file_of_removed: &Path, ring: &Path, text: &str, keys: &BTreeSet<KeyId>) -> Result<(), KeyError> {
    let before = read_bounded(file_of_removed, MAX_REMOVED_BYTES)?.unwrap_or_default();
    if before.len() > MAX_REMOVED_BYTES {
        return Err(KeyError::Refused(format!(
            "{} is longer than {MAX_REMOVED_BYTES} bytes; move it elsewhere, with the backups that its keys open; \
             then a new one is created",
            file_of_removed.display()
        )));
    }
    let mut content = Zeroizing::new(String::with_capacity(before.len() + 1024));
    if before.is_empty() {
        content.push_str("# Keys that were removed from ");
        content.push_str(&ring.display().to_string());
        content
            .push_str(".\n# No file of the data folder needs them; earlier backups of data/keys may. To open such a\n");
        content.push_str("# backup, add them to that file, before its last key.\n");
    }
    content.push_str(&String::from_utf8_lossy(&before));
    for word in key_ring::words(text) {
        let is_old = key_ring::id_of(word).is_some_and(|id| keys.contains(&id));
        // A process killed between the two writes leaves the key in both files.
        if is_old && !content.contains(word) {
            content.push_str(word);
            content.push('\n');
        }
    }
    replace_or_make(file_of_removed, content.as_bytes())
}

/// The text without these keys; lines that held nothing else are removed.
fn without(text: &str, keys: &BTreeSet<KeyId>) -> Zeroizing<String> {
    let mut left = Zeroizing::new(String::with_capacity(text.len() + 64));
    for line in text.lines() {
        let is_old = |word: &&str| key_ring::id_of(word).is_some_and(|id| keys.contains(&id));
        if !key_ring::words(line).any(|word| is_old(&word)) {
            left.push_str(line);
            left.push('\n');
            continue;
        }
        for word in key_ring::words(line).filter(|word| !is_old(word)) {
            left.push_str(word);
            left.push('\n');
        }
    }
    left
}

/// Replaces a file of this account. Refuses another account's, which could not read the new file.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), KeyError> {
    let owner = fs::metadata(path).map_err(|error| KeyError::io("reading", path, &error))?.uid();
    let staged = staged(path);
    // The staging file is not linked elsewhere, and may hold keys.
    wipe(&staged)?;
    write_staged(&staged, bytes)?;
    let ours = fs::metadata(&staged).map_err(|error| KeyError::io("writing", &staged, &error))?.uid();
    if ours != owner {
        remove(&staged)?;
        return Err(KeyError::Refused(format!(
            "{} belongs to another account (number {owner}), which could not read what this one (number {ours}) writes; run \
             this as that account",
            path.display()
        )));
    }
    publish_over_wiping(&staged, path)
}

fn replace_or_make(path: &Path, bytes: &[u8]) -> Result<(), KeyError> {
    if path.exists() {
        return replace(path, bytes);
    }
    let staged = staged(path);
    wipe(&staged)?;
    write_staged(&staged, bytes)?;
    publish_over_wiping(&staged, path)
}

fn staged(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.new"))
}

#[cfg(test)]
mod tests;
