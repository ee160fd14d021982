//! A key file: the wrapped keys of one vault, of `system.db` or of `queue.db`, as JSON.
//!
//! The file is useless without a ring and reveals everything with it; it is stored in `data/keys/` with mode 0600.
//! The wrapped keys are bound to its other fields (`wrap`): if one of them changes, the keys do not open.

use serde::{Deserialize, Serialize};

use crate::page_cipher::PAGE_CIPHER;
use crate::wrap::{Purpose, WrapBox};
use crate::{KeyError, KeyId, KeyName, MAX_KEY_FILE_BYTES, RingName};

const VERSION: u8 = 1;
/// Maximum generations of sealing keys in one file.
const MAX_SEALING: usize = 16;

/// One wrapped key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrappedKey {
    /// Counts from 1; each new key of the same purpose has the next number.
    pub generation: u32,
    /// The ring key that wrapped it.
    pub by: KeyId,
    #[serde(rename = "box")]
    pub(crate) sealed: WrapBox,
}

/// The content of a key file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyFile {
    v: u8,
    of: String,
    name: String,
    cipher: String,
    /// The key of the database's pages.
    pub db: WrappedKey,
    /// The new page key, while the database is being rekeyed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<WrappedKey>,
    /// The key of a user's attachments, separate so that pages can be rekeyed without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachments: Option<WrappedKey>,
    /// The seed of the audit's signing key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<WrappedKey>,
    /// Keys of sealed fields in ascending order. In `system.key` it seals nothing: it identifies the sensitive ring
    /// of this data folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sealing: Vec<WrappedKey>,
}

impl KeyFile {
    /// A file with one page key.
    pub(crate) fn new(name: &KeyName, db: WrappedKey) -> Self {
        Self {
            v: VERSION,
            of: name.kind().to_owned(),
            name: name.name().to_owned(),
            cipher: PAGE_CIPHER.to_owned(),
            db,
            next: None,
            attachments: None,
            audit: None,
            sealing: Vec::new(),
        }
    }

    /// Parses the file of `name`; refuses one that was moved from another name or is malformed.
    pub fn parse(name: &KeyName, bytes: &[u8]) -> Result<Self, KeyError> {
        let damaged = |problem: String| KeyError::damaged(name.to_string(), problem);
        if bytes.len() > MAX_KEY_FILE_BYTES {
            return Err(damaged(format!("it is longer than {MAX_KEY_FILE_BYTES} bytes")));
        }
        let file: Self = serde_json::from_slice(bytes).map_err(|error| {
            damaged(format!("it is not a key file (line {}, column {})", error.line(), error.column()))
        })?;
        file.problem(name).map_or(Ok(()), |problem| Err(damaged(problem)))?;
        Ok(file)
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, KeyError> {
        let problem = |problem: String| KeyError::damaged(format!("the key file of {}", self.name), problem);
        let mut bytes = serde_json::to_vec(self).map_err(|error| problem(error.to_string()))?;
        bytes.push(b'\n');
        if bytes.len() > MAX_KEY_FILE_BYTES {
            return Err(problem(format!("it would be longer than {MAX_KEY_FILE_BYTES} bytes")));
        }
        Ok(bytes)
    }

    fn problem(&self, name: &KeyName) -> Option<String> {
        if self.v != VERSION {
            return Some(format!("its version is {}, and this build reads {VERSION}", self.v));
        }
        if self.of != name.kind() || self.name != name.name() {
            return Some("it belongs to another vault or database and was moved here".to_owned());
        }
        if self.cipher != PAGE_CIPHER {
            return Some(format!("it names a cipher that this build does not know; {PAGE_CIPHER} is"));
        }
        let next = self.db.generation.checked_add(1);
        if self.next.as_ref().is_some_and(|key| Some(key.generation) != next) || self.db.generation == 0 {
            return Some("its page generations are not consecutive".to_owned());
        }
        let user = matches!(name, KeyName::User(_));
        let system = *name == KeyName::System;
        if self.attachments.is_some() != user || self.audit.is_some() != system {
            return Some("it does not have the keys of its kind".to_owned());
        }
        let sealing = match name {
            KeyName::User(_) => 1..=MAX_SEALING,
            KeyName::System => 0..=1,
            KeyName::Queue => 0..=0,
        };
        let rising = self.sealing.is_sorted_by(|a, b| a.generation < b.generation);
        let counted = self.keys().all(|(_, key)| key.generation > 0);
        (!rising || !counted || !sealing.contains(&self.sealing.len()))
            .then(|| "its keys of sealed fields have wrong numbers".to_owned())
    }

    /// All wrapped keys with their purposes.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (Purpose, &WrappedKey)> {
        let db = [(Purpose::Db, &self.db)].into_iter().chain(self.next.iter().map(|key| (Purpose::Db, key)));
        db.chain(self.attachments.iter().map(|key| (Purpose::Attachments, key)))
            .chain(self.audit.iter().map(|key| (Purpose::Audit, key)))
            .chain(self.sealing.iter().map(|key| (Purpose::Sealing, key)))
    }

    /// All wrapped keys with their purposes, mutable.
    pub(crate) fn keys_mut(&mut self) -> impl Iterator<Item = (Purpose, &mut WrappedKey)> {
        let db = [(Purpose::Db, &mut self.db)].into_iter().chain(self.next.iter_mut().map(|key| (Purpose::Db, key)));
        db.chain(self.attachments.iter_mut().map(|key| (Purpose::Attachments, key)))
            .chain(self.audit.iter_mut().map(|key| (Purpose::Audit, key)))
            .chain(self.sealing.iter_mut().map(|key| (Purpose::Sealing, key)))
    }

    /// The ring key that wrapped the newest key of this ring in the file.
    pub(crate) fn wrapped_by(&self, ring: RingName) -> Option<&KeyId> {
        self.keys().filter(|(purpose, _)| purpose.ring() == ring).last().map(|(_, key)| &key.by)
    }
}

#[cfg(test)]
mod tests;
