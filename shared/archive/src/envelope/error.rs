//! What can be wrong with an envelope, or with what should open or close it. No words of a key or passphrase are in any.

use std::io;

use super::{MAX_HEADER_BYTES, MAX_HEADER_LINES, MAX_RECIPIENTS, MAX_WORK};

/// Why an envelope was not made or not opened.
#[derive(Debug, thiserror::Error)]
pub enum EnvelopeError {
    /// Not a public key.
    #[error(
        "this is no recipient of age: one begins with age1, as `age-keygen` shows it, or was mistyped; keys of SSH and of \
         plugins are not taken"
    )]
    NoRecipient,
    /// A secret key where a public one is asked for.
    #[error(
        "this is a secret key, which others may have seen now; a recipient is its public key, which `age-keygen -y` shows"
    )]
    SecretRecipient,
    /// More than there may be.
    #[error("an envelope has at most {MAX_RECIPIENTS} recipients, and this is one more")]
    TooManyRecipients,
    /// A line of a file of identities is none.
    #[error(
        "line {line} is no identity of age: one begins with AGE-SECRET-KEY-1, as `age-keygen` makes it, or was mistyped; \
         keys of SSH and of plugins are not taken"
    )]
    NoIdentity {
        /// Its number, from 1.
        line: usize,
    },
    /// A file of identities without any.
    #[error("there is no identity in it")]
    NoIdentities,
    /// A file of identities that lies in an envelope itself.
    #[error("it is encrypted itself, under a passphrase: open it with `age -d` first")]
    SealedIdentity,
    /// A later version of the format.
    #[error("it is encrypted with a version of age that this kimberly does not know: open it with `age -d` first")]
    Newer,
    /// The header is none.
    #[error("the header of the encrypted file is damaged or cut: copy it again, or export again")]
    Header,
    /// More of a header than there may be.
    #[error(
        "the header of the encrypted file exceeds {MAX_HEADER_BYTES} bytes or {MAX_HEADER_LINES} lines, or its armor has \
         a long line: if you trust it, use `age -d`"
    )]
    TooLong,
    /// No key of those given opens it.
    #[error(
        "none of the identities opens the encrypted file: it was made for other recipients, or its header was changed"
    )]
    OtherIdentity,
    /// Another passphrase.
    #[error("the passphrase does not open the encrypted file: it is another one, or the header was changed")]
    OtherPassphrase,
    /// The passphrase asks for more than is spent.
    #[error(
        "the passphrase of the encrypted file asks for work of 2^{asked}, and at most 2^{MAX_WORK} is done: if you trust \
         it, open it with `age -d`"
    )]
    TooMuchWork {
        /// The power of two.
        asked: u8,
    },
    /// It ends between two chunks.
    #[error(
        "the encrypted file is cut behind byte {at} of what it holds, before it is whole: copy it again, or export again"
    )]
    Cut {
        /// How much was read.
        at: u64,
    },
    /// A chunk is not what was written.
    #[error(
        "the encrypted file is damaged or cut within the 64 KiB behind byte {at} of what it holds: copy it again, or export \
         again"
    )]
    Damaged {
        /// Where the chunk begins.
        at: u64,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl EnvelopeError {
    /// As what reading fails with.
    pub fn into_io(self) -> io::Error {
        match self {
            Self::Io(error) => error,
            other => io::Error::other(other),
        }
    }
}
