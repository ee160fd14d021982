//! The key of a user's attachments: it seals them frame by frame and names the objects that hold them.
//!
//! A sealed frame is bound to its user, its object, its index and whether it is the last one. Frames of other users
//! or objects, reordered frames and truncated objects therefore do not open.

use std::fmt;

use ring::hmac;
use zeroize::Zeroizing;

use crate::derive::{derive, fields};
use crate::hex::hex;
use crate::{KeyError, Secret32, aead};

/// Bytes that sealing adds to a frame.
pub const FRAME_OVERHEAD: usize = aead::OVERHEAD;

/// The position of a frame.
#[derive(Clone, Copy, Debug)]
pub struct FramePosition<'a> {
    /// The user who owns the object.
    pub user: &'a str,
    /// The object's id.
    pub object: &'a [u8],
    /// The frame's number in the object, from 0.
    pub index: u64,
    /// Whether it is the object's last frame.
    pub last: bool,
}

/// Seals a user's attachments and names the objects that hold them.
pub struct BlobKey {
    content: Secret32,
    names: hmac::Key,
}

impl BlobKey {
    /// Derives independent keys for content and names from one secret.
    pub(crate) fn from_secret(secret: &Secret32) -> Result<Self, KeyError> {
        let content = derive(secret, b"", &[b"kimberly/v1/attachments/content"])?;
        let names = derive(secret, b"", &[b"kimberly/v1/attachments/names"])?;
        Ok(Self { content, names: hmac::Key::new(hmac::HMAC_SHA256, names.expose()) })
    }

    /// The public key that data folders without encryption use. It hides nothing, but still detects damage.
    pub fn known_to_all() -> Result<Self, KeyError> {
        Self::from_secret(&Secret32::zeroed())
    }

    /// The key under which frames are sealed.
    #[cfg(test)]
    pub(crate) fn content(&self) -> &Secret32 {
        &self.content
    }

    /// Seals a frame for this position.
    pub fn seal_frame(&self, position: FramePosition<'_>, frame: &[u8]) -> Result<Vec<u8>, KeyError> {
        let mut sealed = Vec::with_capacity(frame.len() + FRAME_OVERHEAD);
        aead::seal_into(&mut sealed, &self.content, &bound(position), frame)?;
        Ok(sealed)
    }

    /// Opens a frame that [`Self::seal_frame`] sealed for the same position; otherwise fails with
    /// [`KeyError::Unopened`].
    pub fn open_frame(&self, position: FramePosition<'_>, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let unopened = || KeyError::Unopened { what: format!("frame {} of an attachment", position.index) };
        aead::open(&self.content, &bound(position), sealed).ok_or_else(unopened)
    }

    /// The name of the object that holds an attachment: 64 hexadecimal digits. Without the key it reveals nothing
    /// about `id`, so a listing of the bucket confirms nothing.
    pub fn object_name(&self, id: &str) -> String {
        hex(hmac::sign(&self.names, id.as_bytes()).as_ref())
    }
}

fn bound(position: FramePosition<'_>) -> Vec<u8> {
    let FramePosition { user, object, index, last } = position;
    let domain = b"kimberly/v1/attachments/frame";
    fields(&[domain, user.as_bytes(), object, &index.to_be_bytes(), &[u8::from(last)]])
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
    }

    #[test]
    fn frames_open_in_their_position_only() {
        let of = |byte| BlobKey::from_secret(&Secret32::copied_from(&[byte; 32]).unwrap()).unwrap();
        let position = FramePosition { user: "u", object: b"o", index: 3, last: false };
        let sealed = of(1).seal_frame(position, b"frame").unwrap();
        assert_eq!(sealed.len(), 5 + FRAME_OVERHEAD);
        assert_eq!(of(1).open_frame(position, &sealed).unwrap().as_slice(), b"frame");
        let others = [
            FramePosition { user: "uo", object: b"", ..position },
            FramePosition { object: b"p", ..position },
            FramePosition { index: 4, ..position },
            FramePosition { last: true, ..position },
        ];
        for other in others {
            assert!(of(1).open_frame(other, &sealed).is_err(), "{other:?}");
        }
        assert!(of(2).open_frame(position, &sealed).is_err());
        assert!(BlobKey::known_to_all().unwrap().open_frame(position, &sealed).is_err());
    }
}
