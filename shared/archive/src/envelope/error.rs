//! Errors of envelopes. None contains key or passphrase material.

use std::io;

use super::{MAX_HEADER_BYTES, MAX_HEADER_LINES, MAX_RECIPIENTS, MAX_WORK};

/// Why an envelope could not be created or opened.
#[derive(Debug, thiserror::Error)]
pub enum EnvelopeError {
    /// Not a public key.
    #[error(
        "this is not a recipient of age, which begins with age1, as `age-keygen` shows it; or it was mistyped; keys \
         of SSH and of plugins are not supported"
    )]
    NoRecipient,
    /// A secret key where a public one is expected.
    #[error(
        "this is a secret key, which may be exposed now; a recipient is its public key, which `age-keygen -y` shows"
    )]
    SecretRecipient,
    /// More than [`super::MAX_RECIPIENTS`] recipients.
    #[error("an envelope has at most {MAX_RECIPIENTS} recipients, and this is one more")]
    TooManyRecipients,
    /// A malformed line in a file of identities.
    #[error(
        "line {line} is not an identity of age, which begins with AGE-SECRET-KEY-1, as `age-keygen` creates it; or it \
         was mistyped; \
         keys of SSH and of plugins are not supported"
    )]
    NoIdentity {
        /// The line number, from 1.
        line: usize,
    },
    /// A file of identities without identities.
    #[error("there is no identity in it")]
    NoIdentities,
    /// A file of identities that is itself encrypted.
    #[error("it is encrypted itself, under a passphrase: open it with `age -d` first")]
    SealedIdentity,
    /// A later version of the format.
    #[error("it is encrypted with a version of age that this kimberly does not know: open it with `age -d` first")]
    Newer,
    /// The header is malformed.
    #[error("the header of the encrypted file is damaged or truncated: copy it again, or export again")]
    Header,
    /// The header exceeds a bound.
    #[error(
        "the header of the encrypted file exceeds {MAX_HEADER_BYTES} bytes or {MAX_HEADER_LINES} lines, or its armor has \
         a long line: if you trust it, use `age -d`"
    )]
    TooLong,
    /// None of the given keys opens it.
    #[error(
        "none of the identities opens the encrypted file: it was made for other recipients, or its header was changed"
    )]
    OtherIdentity,
    /// The wrong passphrase.
    #[error("the passphrase does not open the encrypted file: it is wrong, or the header was changed")]
    OtherPassphrase,
    /// The passphrase requires more work than allowed.
    #[error(
        "the passphrase of the encrypted file needs work of 2^{asked}; at most 2^{MAX_WORK} is allowed: if you trust \
         it, open it with `age -d`"
    )]
    TooMuchWork {
        /// The requested work factor (log2).
        asked: u8,
    },
    /// The file is truncated between two chunks.
    #[error("the encrypted file is truncated after byte {at} of its content: copy it again, or export again")]
    Cut {
        /// Bytes read so far.
        at: u64,
    },
    /// A chunk does not pass authentication.
    #[error(
        "the encrypted file is damaged or truncated within the 64 KiB after byte {at} of its content: copy it again, \
         or export \
         again"
    )]
    Damaged {
        /// The position of the chunk's first byte in the content.
        at: u64,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl EnvelopeError {
    /// Wraps the error for `Read` implementations.
    pub fn into_io(self) -> io::Error {
        match self {
            Self::Io(error) => error,
            other => io::Error::other(other),
        }
    }
}
