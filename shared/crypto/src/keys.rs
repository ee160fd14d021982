//! The keys of one data folder: rings and the keys that they wrap.

mod first_start;
mod lost;
mod off;
mod open;
mod rewrap;
mod rings;
mod users;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ring::hmac;
use zeroize::Zeroizing;

pub(crate) use first_start::{data_id, is_first};
pub use lost::{refuse_lost_keys, refuse_lost_registry, refuse_unknown};
pub(crate) use open::rings_lock;
pub use rewrap::Rewrapped;
pub use rings::HeldRing;
use rings::Rings;
pub use users::UserKeys;

use crate::derive::derive;
use crate::folders::Lock;
use crate::hex::secret_hex;
use crate::key_file::KeyFile;
use crate::wrap::Purpose;
use crate::{AuditSigner, DbKey, KeyError, KeyName, KeyStore, RingName, Secret32, Survey};

/// The rings that a process needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loads {
    /// Both: the process stores and reads sensitive memories.
    Both,
    /// The master ring alone: the process never sees sensitive text.
    MasterOnly,
}

/// The keys of one data folder; none when encryption is off. Clones share all state.
#[derive(Clone)]
pub struct Keys(Option<Arc<Inner>>);

struct Inner {
    data_id: String,
    folder: Option<std::path::PathBuf>,
    store: Arc<dyn KeyStore>,
    rings: Rings,
    rings_lock: std::path::PathBuf,
    system: SystemSecrets,
    created: Option<String>,
}

/// Secrets derived from the keys of `system.db`.
struct SystemSecrets {
    token: Secret32,
    pseudonyms: hmac::Key,
    signer: AuditSigner,
}

impl SystemSecrets {
    fn from_keys(data_id: &str, db: &Secret32, seed: &Secret32) -> Result<Self, KeyError> {
        let of = |purpose: &[u8]| derive(db, data_id.as_bytes(), &[b"kimberly/v1/", purpose]);
        Ok(Self {
            token: of(b"internal-rpc")?,
            pseudonyms: hmac::Key::new(hmac::HMAC_SHA256, of(b"pseudonym")?.expose()),
            signer: AuditSigner::from_seed(seed)?,
        })
    }
}

impl Keys {
    /// No keys: encryption is off.
    pub fn off() -> Self {
        Self(None)
    }

    /// Whether encryption is on.
    pub fn are_on(&self) -> bool {
        self.0.is_some()
    }

    /// The key of `system.db`; `None` when encryption is off.
    pub fn system(&self) -> Result<Option<DbKey>, KeyError> {
        self.0.as_ref().map(|inner| inner.db_key(&KeyName::System)).transpose()
    }

    /// The key of `queue.db`; `None` when encryption is off.
    pub fn queue(&self) -> Result<Option<DbKey>, KeyError> {
        self.0.as_ref().map(|inner| inner.db_key(&KeyName::Queue)).transpose()
    }

    /// Rereads both rings after a key was added or removed. If that fails, the loaded rings stay.
    pub fn reload(&self) -> Result<(), KeyError> {
        self.0.as_ref().map_or(Ok(()), |inner| inner.rings.reload())
    }

    /// Rereads both rings if the file of one changed since the last read; returns whether it had. If that fails, the
    /// loaded rings stay. Cheap while nothing changes.
    pub fn refresh(&self) -> Result<bool, KeyError> {
        self.0.as_ref().map_or(Ok(false), |inner| inner.rings.refresh())
    }

    /// The loaded rings, the master ring first; empty when encryption is off.
    pub fn rings(&self) -> Vec<HeldRing> {
        let of = |inner: &Inner| [RingName::Master, RingName::Sensitive].map(|ring| inner.rings.shown(ring));
        self.0.as_deref().map(of).into_iter().flatten().flatten().collect()
    }

    /// The number of key files that need each ring key; `None` when encryption is off.
    pub fn survey(&self) -> Result<Option<Survey>, KeyError> {
        self.0.as_deref().map(|inner| Survey::of(&*inner.store)).transpose()
    }

    /// The token with which processes of this data folder authenticate to each other: 64 hexadecimal digits. `None`
    /// when encryption is off: then they share no secret.
    pub fn internal_token(&self) -> Option<Zeroizing<String>> {
        self.0.as_ref().map(|inner| secret_hex("", inner.system.token.expose(), ""))
    }

    /// Whether another process presented that token, compared in constant time. When encryption is off, accepts
    /// everything, including no token.
    pub fn admits_process(&self, shown: Option<&[u8]>) -> bool {
        let Some(token) = self.internal_token() else { return true };
        let (token, shown) = (token.as_bytes(), shown.unwrap_or_default());
        let differ =
            token.iter().zip(shown).fold(token.len() ^ shown.len(), |differ, (a, b)| differ | usize::from(a ^ b));
        std::hint::black_box(differ) == 0
    }

    /// The pseudonym of a user where their id must not appear, stable within this data folder. When encryption is
    /// off, guessing an id is enough to compute its pseudonym.
    pub fn pseudonym(&self, user_id: &str) -> [u8; 16] {
        let tag = match &self.0 {
            Some(inner) => hmac::sign(&inner.system.pseudonyms, user_id.as_bytes()),
            None => hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, b"kimberly/v1/pseudonym"), user_id.as_bytes()),
        };
        let mut name = [0; 16];
        for (to, from) in name.iter_mut().zip(tag.as_ref()) {
            *to = *from;
        }
        name
    }

    /// Signs checkpoints and receipts; `None` when encryption is off.
    pub fn signer(&self) -> Option<AuditSigner> {
        self.0.as_ref().map(|inner| inner.system.signer.clone())
    }

    /// The id of the data folder: 16 hexadecimal digits, created on its first start. `None` when encryption is off.
    pub fn data_id(&self) -> Option<&str> {
        self.0.as_ref().map(|inner| inner.data_id.as_str())
    }

    /// The folder of rings outside the data folder, if one is configured (`[keys] folder` or its default).
    pub fn folder(&self) -> Option<&Path> {
        self.0.as_ref().and_then(|inner| inner.folder.as_deref())
    }

    /// One line for the operator if this start created rings: where they are and what losing them means.
    pub fn created(&self) -> Option<&str> {
        self.0.as_ref().and_then(|inner| inner.created.as_deref())
    }

    fn inner(&self) -> Result<&Inner, KeyError> {
        self.0.as_deref().ok_or(KeyError::Off)
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(inner) => f.debug_struct("Keys").field("data_id", &inner.data_id).finish_non_exhaustive(),
            None => f.write_str("Keys(off)"),
        }
    }
}

impl Inner {
    fn db_key(&self, name: &KeyName) -> Result<DbKey, KeyError> {
        let file = self.file(name)?.ok_or_else(|| KeyError::damaged(name.to_string(), "it is gone"))?;
        self.rings.unwrap(&self.data_id, name, Purpose::Db, &file.db).map(|key| DbKey::new(file.db.generation, key))
    }

    /// Held while a key is wrapped and its file is written: no ring changes meanwhile, and the loaded ring is
    /// current. Fails if a ring cannot be read, or if it lacks a key that `system.key` needs: this process then sees
    /// an older ring than others, and keys that it wrapped would be lost once the old ones are removed.
    fn wrapping(&self) -> Result<Lock, KeyError> {
        let held = Lock::shared(&self.rings_lock)?;
        self.rings.refresh()?;
        if let Some(file) = self.file(&KeyName::System)? {
            self.rings.knows_all_of(&KeyName::System, &file)?;
        }
        Ok(held)
    }

    fn file(&self, name: &KeyName) -> Result<Option<KeyFile>, KeyError> {
        self.store.read(name)?.map(|bytes| KeyFile::parse(name, &bytes)).transpose()
    }
}

#[cfg(test)]
pub(crate) mod tests;
