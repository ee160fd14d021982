//! Where wrapped keys lie: files of the data folder now, a table when the service is spread over machines.

#[cfg(any(test, feature = "conformance"))]
pub mod claims;
mod files;

use std::fmt;

pub use files::FileKeyStore;

use crate::KeyError;
use crate::hex::is_hex;

/// Most bytes of a key file.
pub const MAX_KEY_FILE_BYTES: usize = 4096;

/// The hash of a user's id, as the folder of his vault is named: 64 lower-case hexadecimal digits.
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

/// Whose keys a key file holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyName {
    /// Those of `system.db` and of the audit.
    System,
    /// Those of `queue.db`.
    Queue,
    /// Those of one user's vault.
    User(UserHash),
}

impl KeyName {
    /// What kind of file it is.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Queue => "queue",
            Self::User(_) => "vault",
        }
    }

    /// Its name within the kind.
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

/// What became of a request to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// It is there now.
    Made,
    /// Somebody was first; nothing was changed.
    Existed,
}

/// What became of a request to destroy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destroyed {
    /// It was there, whole or as what a killed writer left, and is gone.
    Done,
    /// There was nothing.
    Absent,
}

/// Keeps wrapped keys by name. Every change is durable when it returns and is whole or absent after a kill; changes of
/// one name exclude each other across processes. It looks at no content.
pub trait KeyStore: Send + Sync {
    /// The id that everything wrapped here is bound to, 16 hexadecimal digits; `None` before the first start.
    fn id(&self) -> Result<Option<String>, KeyError>;

    /// Keeps the id of a first start, unless there is one already; returns the one that is kept.
    fn keep_id(&self, id: &str) -> Result<String, KeyError>;

    /// What lies under a name; more than [`MAX_KEY_FILE_BYTES`] are cut one byte past the bound.
    fn read(&self, name: &KeyName) -> Result<Option<Vec<u8>>, KeyError>;

    /// Puts something under a name that nothing lies under.
    fn create_new(&self, name: &KeyName, bytes: &[u8]) -> Result<Created, KeyError>;

    /// Puts `new` in the place of `old`, and does nothing but say so (`false`) if something else lies there or nothing:
    /// whoever changes what he read a moment ago neither undoes another's change nor brings back what was destroyed.
    fn replace(&self, name: &KeyName, old: &[u8], new: &[u8]) -> Result<bool, KeyError>;

    /// Makes what lies under a name unreadable, then removes it, and what killed writers left of it too.
    fn destroy(&self, name: &KeyName) -> Result<Destroyed, KeyError>;

    /// Whether users are there although no key ever was: what they have was stored without.
    fn holds_users_without_keys(&self) -> Result<bool, KeyError> {
        Ok(false)
    }

    /// Users in the order of their hash, after one, at most `limit`.
    fn list(&self, after: Option<&UserHash>, limit: usize) -> Result<Vec<UserHash>, KeyError>;
}
