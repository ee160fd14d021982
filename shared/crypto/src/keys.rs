//! The keys of one data folder: rings, and what they wrap.

mod first_start;
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

/// Which rings a process needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loads {
    /// Both: it stores and reads sensitive memories.
    Both,
    /// The master ring alone: it never sees sensitive text.
    MasterOnly,
}

/// The keys of one data folder, or none when encryption is off. Copies share everything.
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

/// What follows from the keys of `system.db`.
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

    /// Whether there are keys.
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

    /// Reads both rings again, after one of them got or lost a key. If that fails, the rings stay as they were.
    pub fn reload(&self) -> Result<(), KeyError> {
        self.0.as_ref().map_or(Ok(()), |inner| inner.rings.reload())
    }

    /// Reads both rings again if the file of one has changed since it was read; says whether it had. If that fails, the
    /// rings stay as they were. Cheap while nothing changes.
    pub fn refresh(&self) -> Result<bool, KeyError> {
        self.0.as_ref().map_or(Ok(false), |inner| inner.rings.refresh())
    }

    /// The rings that this process holds, the master ring first; none when encryption is off.
    pub fn rings(&self) -> Vec<HeldRing> {
        let of = |inner: &Inner| [RingName::Master, RingName::Sensitive].map(|ring| inner.rings.shown(ring));
        self.0.as_deref().map(of).into_iter().flatten().flatten().collect()
    }

    /// Which keys of rings are needed by how many key files; `None` when encryption is off.
    pub fn survey(&self) -> Result<Option<Survey>, KeyError> {
        self.0.as_deref().map(|inner| Survey::of(&*inner.store)).transpose()
    }

    /// What processes of this data folder show each other: 64 hexadecimal digits. `None` when encryption is off: then
    /// they have no secret in common.
    pub fn internal_token(&self) -> Option<Zeroizing<String>> {
        self.0.as_ref().map(|inner| secret_hex("", inner.system.token.expose(), ""))
    }

    /// Whether what another process shows is that token. Compares in constant time. When encryption is off, everything
    /// is, also nothing.
    pub fn admits_process(&self, shown: Option<&[u8]>) -> bool {
        let Some(token) = self.internal_token() else { return true };
        let (token, shown) = (token.as_bytes(), shown.unwrap_or_default());
        let differ =
            token.iter().zip(shown).fold(token.len() ^ shown.len(), |differ, (a, b)| differ | usize::from(a ^ b));
        std::hint::black_box(differ) == 0
    }

    /// The name of a user where his id must not stand: the same for the same id in this data folder. When encryption
    /// is off, anybody who guesses an id can tell that it is its pseudonym.
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

    /// The id of the data folder: 16 hexadecimal digits, made on its first start. `None` when encryption is off.
    pub fn data_id(&self) -> Option<&str> {
        self.0.as_ref().map(|inner| inner.data_id.as_str())
    }

    /// The folder of rings outside the data folder, where there is one (`[keys] folder` or its default).
    pub fn folder(&self) -> Option<&Path> {
        self.0.as_ref().and_then(|inner| inner.folder.as_deref())
    }

    /// What the person who started the process must know when this start made rings: where they are and what losing
    /// them means. One line.
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

    /// To be held while a key is wrapped and its file is written: nobody changes a ring meanwhile, and the ring is the
    /// newest. Fails if a ring cannot be read now, and if the keys of `system.db` need a key that is not in it: then
    /// this process sees an older ring than others, and what it wrapped would be lost once the old keys are removed.
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
