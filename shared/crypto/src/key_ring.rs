//! A ring: the keys that wrap other keys. The last one wraps, all of them unwrap.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use zeroize::Zeroizing;

use crate::{KeyError, KeyId, Secret32};

/// Maximum keys in a ring.
pub const MAX_KEYS: usize = 16;
/// Maximum size of a ring's text in bytes, comments included.
pub const MAX_RING_BYTES: usize = 4096;

/// Base64 with or without `=` padding, since tools write both.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RingName {
    /// Wraps the keys of databases and attachments.
    Master,
    /// Wraps the keys under which sensitive fields are sealed.
    Sensitive,
}

impl RingName {
    /// The name used in the configuration and by commands.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Master => "master",
            Self::Sensitive => "sensitive",
        }
    }

    /// The data that cannot be read without it.
    pub(crate) fn opens(self) -> &'static str {
        match self {
            Self::Master => "nothing",
            Self::Sensitive => "no sensitive memory",
        }
    }
}

impl fmt::Display for RingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The problem with a ring's text. Names keys by their number and never repeats one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RingError {
    /// Only white space and comments.
    #[error("contains no key; `openssl rand -base64 32` creates one")]
    Empty,
    /// More than [`MAX_RING_BYTES`].
    #[error("is longer than {MAX_RING_BYTES} bytes, which no ring is")]
    TooLong,
    /// More than [`MAX_KEYS`].
    #[error("holds more than {MAX_KEYS} keys; remove the oldest that nothing needs any more")]
    TooMany,
    /// A word that is not base64 of 32 bytes.
    #[error("contains as key {number} something else than 32 bytes in base64; `openssl rand -base64 32` creates a key")]
    NotAKey {
        /// The number of the word, from 1.
        number: usize,
    },
    /// The same key twice, so that it is unclear which is current.
    #[error("contains the same key as number {first} and {second}; remove one")]
    Twice {
        /// The first number, counted from 1.
        first: usize,
        /// The second number.
        second: usize,
    },
    /// Bytes that are not UTF-8.
    #[error("is not UTF-8 text")]
    NotText,
}

/// At least one key, at most [`MAX_KEYS`], all different.
pub struct Ring {
    current: (KeyId, Secret32),
    older: Vec<(KeyId, Secret32)>,
}

impl Ring {
    /// Parses a ring: keys of 32 bytes in base64, separated by white space or commas; `#` starts a comment that ends
    /// with the line. The error says which key is wrong and never repeats it.
    pub fn parse(text: &str) -> Result<Self, RingError> {
        if text.len() > MAX_RING_BYTES {
            return Err(RingError::TooLong);
        }
        let mut keys: Vec<(KeyId, Secret32)> = Vec::new();
        for (index, word) in words(text).enumerate() {
            let number = index + 1;
            if number > MAX_KEYS {
                return Err(RingError::TooMany);
            }
            let key = decode(word).ok_or(RingError::NotAKey { number })?;
            let id = KeyId::of(&key).map_err(|_| RingError::NotAKey { number })?;
            if let Some(first) = keys.iter().position(|(other, _)| *other == id) {
                return Err(RingError::Twice { first: first + 1, second: number });
            }
            keys.push((id, key));
        }
        let current = keys.pop().ok_or(RingError::Empty)?;
        Ok(Self { current, older: keys })
    }

    /// Generates a ring of one key, and its text: one line.
    pub fn generate() -> Result<(Self, Zeroizing<String>), KeyError> {
        let key = Secret32::random()?;
        let mut text = Zeroizing::new(String::with_capacity(64));
        STANDARD.encode_string(key.expose(), &mut text);
        text.push('\n');
        Ok((Self { current: (KeyId::of(&key)?, key), older: Vec::new() }, text))
    }

    /// The id of the key that wraps.
    pub fn current(&self) -> &KeyId {
        &self.current.0
    }

    /// The ids of all keys in the order of the text; the current one is last.
    pub fn ids(&self) -> impl Iterator<Item = &KeyId> {
        self.all().map(|(id, _)| id)
    }

    pub(crate) fn current_key(&self) -> (&KeyId, &Secret32) {
        (&self.current.0, &self.current.1)
    }

    pub(crate) fn key(&self, id: &KeyId) -> Option<&Secret32> {
        self.all().find(|(other, _)| other == id).map(|(_, key)| key)
    }

    fn all(&self) -> impl Iterator<Item = &(KeyId, Secret32)> {
        self.older.iter().chain([&self.current])
    }
}

impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ids().map(KeyId::as_str)).finish()
    }
}

/// The words of a ring's text, valid keys or not.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| line.split(|c: char| c.is_whitespace() || c == ','))
        .filter(|word| !word.is_empty())
}

/// The id of a key in a ring's text; `None` if the word is not a key.
pub(crate) fn id_of(word: &str) -> Option<KeyId> {
    KeyId::of(&decode(word)?).ok()
}

fn decode(word: &str) -> Option<Secret32> {
    // 32 bytes are 43 base64 digits, 44 with padding.
    if !(43..=44).contains(&word.len()) {
        return None;
    }
    let mut room = Zeroizing::new([0_u8; 36]);
    let length = LENIENT.decode_slice(word, room.as_mut_slice()).ok()?;
    Secret32::copied_from(room.get(..length)?)
}

#[cfg(test)]
mod tests;
