//! A stored checkpoint: reads it from a file, verifies its signature, and compares it with the log.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use kimberly_core::audit::{AuditHead, SignedCheckpoint, hash_from_text};
use kimberly_core::bounds::MAX_CHECKPOINT_BYTES;
use kimberly_crypto::{key_id, verify};

use crate::error::{CliError, CliResult};

/// A checkpoint with its signature.
#[derive(Debug)]
pub(super) struct Statement(SignedCheckpoint);

impl Statement {
    /// Reads a checkpoint file.
    pub(super) fn read(file: &Path) -> CliResult<Self> {
        let name = file.display();
        let mut text = String::new();
        // One byte more than allowed, so that a longer file is refused as such.
        let read =
            File::open(file).and_then(|file| file.take(MAX_CHECKPOINT_BYTES as u64 + 1).read_to_string(&mut text));
        read.map_err(|error| CliError::usage(format!("{name} cannot be read: {error}")))?;
        Self::parse(&text).map_err(|problem| CliError::failed(format!("{name} is not a valid checkpoint: {problem}")))
    }

    /// Parses a checkpoint.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        SignedCheckpoint::parse(text).map(Self)
    }

    /// Verifies the signature with a public key in hex; the error says what is wrong.
    pub(super) fn check(&self, public_key: &str) -> Result<(), String> {
        let public = key(public_key)?;
        let (named, known) = (&self.0.key_id, key_id(&public));
        if *named != known {
            return Err(format!("it was signed with the key {named}, not with {known}: another server signed it"));
        }
        if verify(&public, &self.0.checkpoint.message(), &self.0.signature) {
            Ok(())
        } else {
            Err("its signature does not match: it was changed, or signed with another key".to_owned())
        }
    }

    /// Fails unless the checkpoint belongs to this log.
    pub(super) fn is_of(&self, log: &str) -> Result<(), String> {
        let own = &self.0.checkpoint.log;
        if own == log { Ok(()) } else { Err(format!("it belongs to the log {own}, not to {log}")) }
    }

    /// The head that the chain must contain.
    pub(super) fn head(&self) -> AuditHead {
        self.0.checkpoint.head
    }
}

/// Parses a public key of 64 hex digits.
pub(super) fn key(text: &str) -> Result<[u8; 32], String> {
    hash_from_text(text.trim()).ok_or_else(|| {
        "this is not a public key: 64 digits of lowercase hex, as `kimberly audit public-key` shows them".to_owned()
    })
}
