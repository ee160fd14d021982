//! Sealed fields: content, attributes and channels of sensitive memories, encrypted under keys of their user.
//!
//! `0x01 | generation (u32, big-endian) | nonce (24) | ciphertext | tag (16)`, bound to user, table, row and column.
//! Several generations coexist while rows are resealed. Nothing is compressed, since the length would reveal
//! something about the text.

use std::fmt;

use ring::hmac;
use zeroize::Zeroizing;

use crate::derive::{derive, fields};
use crate::{BlobKey, KeyError, Secret32, aead};

const VERSION: u8 = 1;
const HEADER: usize = 5;

/// Bytes of a blind index (see [`Sealer::blind_indexes`]).
const BLIND_INDEX_BYTES: usize = 16;

/// Bytes that sealing adds to a text.
pub const SEALED_OVERHEAD: usize = HEADER + aead::OVERHEAD;

/// The keys under which one user's fields are sealed, by generation.
pub struct Sealer {
    current: (u32, Secret32),
    older: Vec<(u32, Secret32)>,
}

impl Sealer {
    /// Takes keys in ascending order of generation; `None` without any.
    pub(crate) fn new(mut keys: Vec<(u32, Secret32)>) -> Option<Self> {
        let current = keys.pop()?;
        Some(Self { current, older: keys })
    }

    /// Seals the `column` of the row `row` (its id) of `memories` under the newest key.
    pub fn seal(&self, user: &str, row: &[u8], column: &'static str, text: &[u8]) -> Result<Vec<u8>, KeyError> {
        let (generation, key) = &self.current;
        let mut sealed = Vec::with_capacity(text.len() + SEALED_OVERHEAD);
        sealed.push(VERSION);
        sealed.extend_from_slice(&generation.to_be_bytes());
        aead::seal_into(&mut sealed, key, &bound(user, row, column), text)?;
        Ok(sealed)
    }

    /// Opens a field that [`Self::seal`] sealed for the same user, row and column; otherwise fails with
    /// [`KeyError::Unopened`].
    pub fn open(
        &self,
        user: &str,
        row: &[u8],
        column: &'static str,
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let unopened = || KeyError::Unopened { what: format!("a sealed {column}") };
        let generation = Self::generation_of(sealed).ok_or_else(unopened)?;
        let key = self.key(generation).ok_or_else(unopened)?;
        aead::open(key, &bound(user, row, column), sealed.get(HEADER..).unwrap_or_default()).ok_or_else(unopened)
    }

    /// Blind indexes of a text of `column`, one per key, the newest first: keyed hashes bound to the user, which
    /// allow comparison for equality without the text.
    pub fn blind_indexes(
        &self,
        user: &str,
        column: &'static str,
        text: &[u8],
    ) -> Result<Vec<[u8; BLIND_INDEX_BYTES]>, KeyError> {
        let keys = [&self.current].into_iter().chain(self.older.iter().rev());
        keys.map(|(_, key)| {
            let key = derive(key, b"", &[b"kimberly/v1/mark"])?;
            let key = hmac::Key::new(hmac::HMAC_SHA256, key.expose());
            let tag = hmac::sign(&key, &fields(&[user.as_bytes(), b"memories", column.as_bytes(), text]));
            tag.as_ref().first_chunk().copied().ok_or(KeyError::Primitive("keyed hash"))
        })
        .collect()
    }

    /// The generation of the key that seals.
    pub fn generation(&self) -> u32 {
        self.current.0
    }

    /// The generation of the key that sealed a field; `None` if it is not a sealed field.
    pub fn generation_of(sealed: &[u8]) -> Option<u32> {
        let (header, _) = sealed.split_first_chunk::<HEADER>()?;
        let [version, generation @ ..] = *header;
        (version == VERSION).then(|| u32::from_be_bytes(generation))
    }

    /// The key for attachments of sensitive memories of a generation; `None` if that generation is gone.
    pub fn attachments(&self, generation: u32) -> Result<Option<BlobKey>, KeyError> {
        self.key(generation).map(BlobKey::from_secret).transpose()
    }

    fn key(&self, generation: u32) -> Option<&Secret32> {
        [&self.current].into_iter().chain(&self.older).find(|(of, _)| *of == generation).map(|(_, key)| key)
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealer").field("generation", &self.current.0).finish_non_exhaustive()
    }
}

fn bound(user: &str, row: &[u8], column: &str) -> Vec<u8> {
    fields(&[b"kimberly/v1/seal", user.as_bytes(), b"memories", row, column.as_bytes()])
}

#[cfg(test)]
mod tests;
