//! Sealed fields: content, attributes and channels of sensitive memories, under the key of their user.
//!
//! `0x01 | generation (u32, big-endian) | nonce (24) | ciphertext | tag (16)`, bound to user, table, row and column.
//! Several generations live side by side while rows are sealed anew. Nothing is compressed: the length would tell about
//! the text.

use std::fmt;

use ring::hmac;
use zeroize::Zeroizing;

use crate::derive::{derive, fields};
use crate::{BlobKey, KeyError, Secret32, aead};

const VERSION: u8 = 1;
const HEADER: usize = 5;

/// Bytes of a mark.
const MARK: usize = 16;

/// Bytes that a sealed field is longer than its text.
pub const SEALED_OVERHEAD: usize = HEADER + aead::OVERHEAD;

/// The keys under which one user's fields are sealed, by generation.
pub struct Sealer {
    current: (u32, Secret32),
    older: Vec<(u32, Secret32)>,
}

impl Sealer {
    /// Keys in rising order of their generation; `None` without any.
    pub(crate) fn new(mut keys: Vec<(u32, Secret32)>) -> Option<Self> {
        let current = keys.pop()?;
        Some(Self { current, older: keys })
    }

    /// Seals what stands in `column` of the row `row` (its id) of `memories`, under the newest key.
    pub fn seal(&self, user: &str, row: &[u8], column: &'static str, text: &[u8]) -> Result<Vec<u8>, KeyError> {
        let (generation, key) = &self.current;
        let mut sealed = Vec::with_capacity(text.len() + SEALED_OVERHEAD);
        sealed.push(VERSION);
        sealed.extend_from_slice(&generation.to_be_bytes());
        aead::seal_into(&mut sealed, key, &bound(user, row, column), text)?;
        Ok(sealed)
    }

    /// Opens what [`Self::seal`] made for the same place. Anything else is [`KeyError::Unopened`].
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

    /// What stands for a text of `column` where texts are to be told equal and not to be read, under each key, the newest
    /// first: a keyed hash, bound to the user.
    pub fn marks(&self, user: &str, column: &'static str, text: &[u8]) -> Result<Vec<[u8; MARK]>, KeyError> {
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

    /// The generation under which a field was sealed; `None` for what is no sealed field.
    pub fn generation_of(sealed: &[u8]) -> Option<u32> {
        let (header, _) = sealed.split_first_chunk::<HEADER>()?;
        let [version, generation @ ..] = *header;
        (version == VERSION).then(|| u32::from_be_bytes(generation))
    }

    /// The key of attachments of sensitive memories that goes with a generation, if that is still here.
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
