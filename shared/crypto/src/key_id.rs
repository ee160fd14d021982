//! The id of a ring key, which reveals nothing about the key.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::derive::derive;
use crate::hex::{hex, is_hex};
use crate::{KeyError, Secret32};

/// 16 lower-case hexadecimal digits derived from a ring key, so that a ring stores no names beside its keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyId(String);

impl KeyId {
    /// The id of this key.
    pub(crate) fn of(key: &Secret32) -> Result<Self, KeyError> {
        let derived = derive(key, b"", &[b"kimberly/v1/key-id"])?;
        Ok(Self(hex(&derived.expose()[..8])))
    }

    /// Parses what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        is_hex(text, 16).then(|| Self(text.to_owned()))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for KeyId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if is_hex(&text, 16) { Ok(Self(text)) } else { Err("a key id is 16 lowercase hexadecimal digits") }
    }
}

impl From<KeyId> for String {
    fn from(id: KeyId) -> Self {
        id.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_key_never_changes() {
        let key = Secret32::copied_from(&[7; 32]).unwrap();
        assert_eq!(KeyId::of(&key).unwrap().as_str(), "78f2b2efc9d23864", "existing key files name their ring key so");
    }

    #[test]
    fn ids_are_16_lower_case_digits() {
        assert_eq!(KeyId::parse("0123456789abcdef").unwrap().to_string(), "0123456789abcdef");
        for wrong in ["0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0123456789abcdeg", ""] {
            assert!(KeyId::parse(wrong).is_none() && KeyId::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
