//! Storage of wrapped keys: files of the data folder, or a table when several machines run the service.

#[cfg(any(test, feature = "conformance"))]
pub mod claims;
mod files;

use std::fmt;

pub use files::FileKeyStore;

use crate::KeyError;
use crate::hex::is_hex;

/// Maximum size of a key file, in bytes.
pub const MAX_KEY_FILE_BYTES: usize = 4096;

/// The hash of a user's id, which names the folder of their vault: 64 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserHash(String);

impl UserHash {
    /// Takes exactly 64 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        is_hex(text, 64).then(|| Self(text.to_owned()))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The owner of the keys in a key file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyName {
    /// `system.db` and the audit.
    System,
    /// `queue.db`.
    Queue,
    /// One user's vault.
    User(UserHash),
}

impl KeyName {
    /// The kind of file.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Queue => "queue",
            Self::User(_) => "vault",
        }
    }

    /// The name within the kind.
    pub fn name(&self) -> &str {
        match self {
            Self::System => "system",
            Self::Queue => "queue",
            Self::User(hash) => hash.as_str(),
        }
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System | Self::Queue => write!(f, "the key file of {}.db", self.name()),
            Self::User(hash) => write!(f, "the key file of vault {}", hash.as_str()),
        }
    }
}

/// The outcome of [`KeyStore::create_new`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// The entry was created.
    Made,
    /// An entry exists; nothing was changed.
    Existed,
}

/// The outcome of [`KeyStore::destroy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destroyed {
    /// The entry, or the leftover of a killed writer, was destroyed.
    Done,
    /// Nothing was stored.
    Absent,
}

/// Stores wrapped keys by name and does not interpret them. A change is durable when it returns and atomic after a
/// kill; changes of one name exclude each other across processes.
pub trait KeyStore: Send + Sync {
    /// The id that everything wrapped here is bound to, 16 hexadecimal digits; `None` before the first start.
    fn id(&self) -> Result<Option<String>, KeyError>;

    /// Stores the id of a first start unless one is stored; returns the stored one.
    fn get_or_insert_id(&self, id: &str) -> Result<String, KeyError>;

    /// The bytes of a name; longer content is cut to [`MAX_KEY_FILE_BYTES`] + 1.
    fn read(&self, name: &KeyName) -> Result<Option<Vec<u8>>, KeyError>;

    /// Stores a name that has no entry.
    fn create_new(&self, name: &KeyName, bytes: &[u8]) -> Result<Created, KeyError>;

    /// Replaces `old` with `new`; returns `false` and changes nothing if the stored bytes are not `old`. A stale
    /// writer therefore neither undoes a concurrent change nor restores destroyed keys.
    fn replace(&self, name: &KeyName, old: &[u8], new: &[u8]) -> Result<bool, KeyError>;

    /// Makes the bytes of a name unreadable, then removes them, including leftovers of killed writers.
    fn destroy(&self, name: &KeyName) -> Result<Destroyed, KeyError>;

    /// Whether users exist although no key was ever created: their data was stored unencrypted.
    fn holds_users_without_keys(&self) -> Result<bool, KeyError> {
        Ok(false)
    }

    /// At most `limit` users in the order of their hash, starting after `after`.
    fn list(&self, after: Option<&UserHash>, limit: usize) -> Result<Vec<UserHash>, KeyError>;
}
