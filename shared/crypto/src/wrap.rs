//! Wraps a key under a ring key, bound to its position.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::derive::{derive, fields};
use crate::{KeyError, KeyName, RingName, Secret32, aead};

/// Bytes of a wrapped key.
pub(crate) const BOX: usize = 32 + aead::OVERHEAD;

/// The purpose of a wrapped key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Pages of a database.
    Db,
    /// Content and names of attachments.
    Attachments,
    /// Fields of sensitive memories.
    Sealing,
    /// Signatures under the audit.
    Audit,
}

impl Purpose {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Db => "db",
            Self::Attachments => "attachments",
            Self::Sealing => "sealing",
            Self::Audit => "audit",
        }
    }

    /// The ring that wraps keys of this purpose.
    pub(crate) fn ring(self) -> RingName {
        if self == Self::Sealing { RingName::Sensitive } else { RingName::Master }
    }
}

/// The position of a wrapped key; it opens nowhere else.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) data_id: &'a str,
    pub(crate) file: &'a KeyName,
    pub(crate) purpose: Purpose,
    pub(crate) generation: u32,
}

impl Place<'_> {
    fn aad(&self) -> Vec<u8> {
        fields(&[
            b"kimberly/v1/wrap",
            self.data_id.as_bytes(),
            self.file.kind().as_bytes(),
            self.file.name().as_bytes(),
            self.purpose.as_str().as_bytes(),
            &self.generation.to_be_bytes(),
        ])
    }

    fn key(&self, ring_key: &Secret32) -> Result<Secret32, KeyError> {
        derive(ring_key, self.data_id.as_bytes(), &[b"kimberly/v1/wrap/", self.purpose.as_str().as_bytes()])
    }
}

/// A wrapped key as stored in a key file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct WrapBox([u8; BOX]);

impl WrapBox {
    pub(crate) fn wrap(ring_key: &Secret32, place: &Place<'_>, secret: &Secret32) -> Result<Self, KeyError> {
        let mut sealed = Vec::with_capacity(BOX);
        aead::seal_into(&mut sealed, &place.key(ring_key)?, &place.aad(), secret.expose())?;
        sealed.try_into().map(Self).map_err(|_| KeyError::Primitive("wrapped key"))
    }

    /// Unwraps the key; `None` if another ring key wrapped it or the position differs.
    pub(crate) fn unwrap(&self, ring_key: &Secret32, place: &Place<'_>) -> Result<Option<Secret32>, KeyError> {
        let opened = aead::open(&place.key(ring_key)?, &place.aad(), &self.0);
        Ok(opened.and_then(|opened| Secret32::copied_from(&opened)))
    }
}

impl fmt::Debug for WrapBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WrapBox(..)")
    }
}

impl TryFrom<String> for WrapBox {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let decoded = STANDARD.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
        decoded.map(Self).ok_or("a wrapped key is 72 bytes in base64")
    }
}

impl From<WrapBox> for String {
    fn from(sealed: WrapBox) -> Self {
        STANDARD.encode(sealed.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UserHash;

    fn user(digit: &str) -> KeyName {
        KeyName::User(UserHash::parse(&digit.repeat(64)).unwrap())
    }

    #[test]
    fn a_wrapped_key_opens_in_its_place_alone() {
        let (ring_key, secret) = (Secret32::random().unwrap(), Secret32::random().unwrap());
        let (file, other) = (user("a"), user("b"));
        let place = Place { data_id: "0011223344556677", file: &file, purpose: Purpose::Db, generation: 1 };
        let wrapped = WrapBox::wrap(&ring_key, &place, &secret).unwrap();
        let opens = |key: &Secret32, place: &Place<'_>| wrapped.unwrap(key, place).unwrap();
        assert_eq!(opens(&ring_key, &place).unwrap().expose(), secret.expose());
        let elsewhere = [
            ("data folder", Place { data_id: "0011223344556678", ..place }),
            ("user", Place { file: &other, ..place }),
            ("kind of file", Place { file: &KeyName::System, ..place }),
            ("purpose", Place { purpose: Purpose::Attachments, ..place }),
            ("generation", Place { generation: 2, ..place }),
        ];
        for (field, place) in elsewhere {
            assert!(opens(&ring_key, &place).is_none(), "it opens with another {field}");
        }
        assert!(opens(&Secret32::random().unwrap(), &place).is_none(), "it opens with another key");
    }

    #[test]
    fn every_field_is_bound_by_the_data_that_is_authenticated_too() {
        // The wrapping key depends on data folder and purpose; here it is fixed, so that only the bound data decide.
        let (key, secret) = (Secret32::random().unwrap(), Secret32::random().unwrap());
        let (file, other) = (user("a"), user("b"));
        let place = Place { data_id: "0011223344556677", file: &file, purpose: Purpose::Db, generation: 1 };
        let mut sealed = Vec::new();
        aead::seal_into(&mut sealed, &key, &place.aad(), secret.expose()).unwrap();
        assert!(aead::open(&key, &place.aad(), &sealed).is_some());
        for elsewhere in [
            Place { data_id: "0011223344556678", ..place },
            Place { file: &other, ..place },
            Place { file: &KeyName::Queue, ..place },
            Place { purpose: Purpose::Sealing, ..place },
            Place { purpose: Purpose::Audit, ..place },
            Place { generation: 0x0100_0000, ..place },
        ] {
            assert!(aead::open(&key, &elsewhere.aad(), &sealed).is_none());
        }
    }

    #[test]
    fn boxes_are_read_at_their_length_alone() {
        for length in [BOX - 1, BOX + 1, 0] {
            assert!(WrapBox::try_from(STANDARD.encode(vec![0; length])).is_err(), "{length} bytes were taken");
        }
        let text = STANDARD.encode([7; BOX]);
        assert_eq!(String::from(WrapBox::try_from(text.clone()).unwrap()), text);
        assert!(WrapBox::try_from(format!("{}*", &text[1..])).is_err());
    }
}
