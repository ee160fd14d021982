//! The key of a user's attachments.

use std::fmt;

use ring::hmac;

use crate::derive::derive;
use crate::hex::hex;
use crate::{KeyError, Secret32};

/// Seals a user's attachments and names the objects that hold them.
pub struct BlobKey {
    content: Secret32,
    names: hmac::Key,
}

impl BlobKey {
    /// Keys for content and names from one secret, so that neither tells about the other.
    pub(crate) fn from_secret(secret: &Secret32) -> Result<Self, KeyError> {
        let content = derive(secret, b"", &[b"kimberly/v1/attachments/content"])?;
        let names = derive(secret, b"", &[b"kimberly/v1/attachments/names"])?;
        Ok(Self { content, names: hmac::Key::new(hmac::HMAC_SHA256, names.expose()) })
    }

    /// The key under which chunks are sealed.
    pub fn content(&self) -> &Secret32 {
        &self.content
    }

    /// The name of the object that holds an attachment: 64 hexadecimal digits that tell nothing about `id` to who has
    /// no key, so that a listing confirms nothing.
    pub fn object_name(&self, id: &str) -> String {
        hex(hmac::sign(&self.names, id.as_bytes()).as_ref())
    }
}

impl fmt::Debug for BlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BlobKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_key_and_id_alone() {
        let of = |byte| BlobKey::from_secret(&Secret32::copied_from(&[byte; 32]).unwrap()).unwrap();
        assert_eq!(of(1).object_name("att_1"), of(1).object_name("att_1"));
        assert_ne!(of(1).object_name("att_1"), of(1).object_name("att_2"));
        assert_ne!(of(1).object_name("att_1"), of(2).object_name("att_1"));
        assert_eq!(of(1).object_name("att_1").len(), 64);
        assert_ne!(of(1).content().expose(), &[1; 32]);
    }
}
