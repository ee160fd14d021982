//! Errors about keys, worded for operators. They never contain key or ring material.

use std::io;
use std::path::Path;

use crate::{KeyId, RingError, RingName};

/// Why keys could not be loaded or used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A ring's text is malformed or unusable.
    #[error("keys.{ring}: {location} {problem}")]
    Ring {
        /// The ring.
        ring: RingName,
        /// The source of the ring.
        location: String,
        /// The problem, and the correct value.
        problem: RingError,
    },
    /// The configuration names no usable source, or the source does not answer.
    #[error("{0}")]
    Source(String),
    /// A ring is missing although it wrapped existing keys.
    #[error("the {ring} key{} is missing at {location}; without it {} in {data} can be read; restore it, or name its \
        location in keys.{ring}", shown(id.as_ref()), ring.opens())]
    RingMissing {
        /// The ring.
        ring: RingName,
        /// The key that wrapped the keys of this data folder, if a key file names it.
        id: Option<KeyId>,
        /// Where the ring was expected.
        location: String,
        /// The data folder.
        data: String,
    },
    /// A wrapped key names a ring key that the ring does not hold.
    #[error("{what} is wrapped by the {ring} key {id}, which is not in {location}; add it there, before the last key")]
    UnknownKey {
        /// The key file.
        what: String,
        /// The ring.
        ring: RingName,
        /// The key that wrapped it.
        id: KeyId,
        /// The source of the ring.
        location: String,
    },
    /// A key file or the id of the data folder is damaged.
    #[error("{what} is damaged: {problem}; restore it from a backup of data/keys")]
    Damaged {
        /// The data read.
        what: String,
        /// The problem.
        problem: String,
    },
    /// A ciphertext does not open with its key, or is not bound to this position.
    #[error("{what} does not open: it was changed, or it belongs to another place")]
    Unopened {
        /// The item that could not be opened.
        what: String,
    },
    /// A file system operation failed.
    #[error("{doing} {path}: {problem}")]
    Io {
        /// The operation.
        doing: &'static str,
        /// The file or folder.
        path: String,
        /// The kind of failure, which tells a full disk from others.
        kind: io::ErrorKind,
        /// The failure in words.
        problem: String,
    },
    /// A key store other than files failed.
    #[error("{doing}: {problem}")]
    Store {
        /// The operation.
        doing: &'static str,
        /// Why it failed.
        problem: String,
    },
    /// Keys cannot be created or accepted here or in this state.
    #[error("{0}")]
    Refused(String),
    /// Keys were requested while encryption is off.
    #[error("encryption is off: there are no keys")]
    Off,
    /// This process loads only the master ring.
    #[error("this process does not load the sensitive ring")]
    NotLoaded,
    /// The operating system returned no random bytes, or a primitive rejected its input.
    #[error("the operating system's cryptography provided no {0}")]
    Primitive(&'static str),
}

impl KeyError {
    /// A failed file system operation.
    pub(crate) fn io(doing: &'static str, path: &Path, error: &io::Error) -> Self {
        Self::Io { doing, path: path.display().to_string(), kind: error.kind(), problem: error.to_string() }
    }

    /// Content that this build cannot have written.
    pub(crate) fn damaged(what: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Damaged { what: what.into(), problem: problem.into() }
    }
}

fn shown(id: Option<&KeyId>) -> String {
    id.map(|id| format!(" {id}")).unwrap_or_default()
}
