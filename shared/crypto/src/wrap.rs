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

/// The context that a wrapped key is bound to; it does not open in another one.
#[derive(Clone, Copy)]
pub(crate) struct WrapContext<'a> {
    pub(crate) data_id: &'a str,
    pub(crate) file: &'a KeyName,
    pub(crate) purpose: Purpose,
    pub(crate) generation: u32,
}

impl WrapContext<'_> {
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
    pub(crate) fn wrap(ring_key: &Secret32, context: &WrapContext<'_>, secret: &Secret32) -> Result<Self, KeyError> {
        let mut sealed = Vec::with_capacity(BOX);
        aead::seal_into(&mut sealed, &context.key(ring_key)?, &context.aad(), secret.expose())?;
        sealed.try_into().map(Self).map_err(|_| KeyError::Primitive("wrapped key"))
    }

    /// Unwraps the key; `None` if another ring key wrapped it or the context differs.
    pub(crate) fn unwrap(&self, ring_key: &Secret32, context: &WrapContext<'_>) -> Result<Option<Secret32>, KeyError> {
        let opened = aead::open(&context.key(ring_key)?, &context.aad(), &self.0);
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
    fn a_wrapped_key_opens_in_its_own_context_only() {
        let (ring_key, secret) = (Secret32::random().unwrap(), Secret32::random().unwrap());
        let (file, other) = (user("a"), user("b"));
        let context = WrapContext { data_id: "0011223344556677", file: &file, purpose: Purpose::Db, generation: 1 };
        let wrapped = WrapBox::wrap(&ring_key, &context, &secret).unwrap();
        let opens = |key: &Secret32, context: &WrapContext<'_>| wrapped.unwrap(key, context).unwrap();
        assert_eq!(opens(&ring_key, &context).unwrap().expose(), secret.expose());
        let elsewhere = [
            ("data folder", WrapContext { data_id: "0011223344556678", ..context }),
            ("user", WrapContext { file: &other, ..context }),
            ("kind of file", WrapContext { file: &KeyName::System, ..context }),
            ("purpose", WrapContext { purpose: Purpose::Attachments, ..context }),
            ("generation", WrapContext { generation: 2, ..context }),
        ];
        for (field, context) in elsewhere {
            assert!(opens(&ring_key, &context).is_none(), "it opens with another {field}");
        }
        assert!(opens(&Secret32::random().unwrap(), &context).is_none(), "it opens with another key");
    }

    #[test]
    fn every_field_is_bound_by_the_data_that_is_authenticated_too() {
        // The wrapping key depends on data folder and purpose; here it is fixed, so that only the bound data decide.
        let (key, secret) = (Secret32::random().unwrap(), Secret32::random().unwrap());
        let (file, other) = (user("a"), user("b"));
        let context = WrapContext { data_id: "0011223344556677", file: &file, purpose: Purpose::Db, generation: 1 };
        let mut sealed = Vec::new();
        aead::seal_into(&mut sealed, &key, &context.aad(), secret.expose()).unwrap();
        assert!(aead::open(&key, &context.aad(), &sealed).is_some());
        for elsewhere in [
            WrapContext { data_id: "0011223344556678", ..context },
            WrapContext { file: &other, ..context },
            WrapContext { file: &KeyName::Queue, ..context },
            WrapContext { purpose: Purpose::Sealing, ..context },
            WrapContext { purpose: Purpose::Audit, ..context },
            WrapContext { generation: 0x0100_0000, ..context },
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
