//! The key of one user's blobs, and what is done with it.

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ids::{BlobId, UserId};
use kimberly_crypto::{BlobKey, FramePlace, Keys};
use zeroize::Zeroizing;

use crate::errors;

/// The key for one blob.
#[derive(Debug)]
pub(crate) struct BlobSeal {
    key: BlobKey,
    user: String,
    blob: [u8; 16],
}

impl BlobSeal {
    /// Of a user who has keys; without encryption of anybody.
    pub(crate) fn of(keys: &Keys, user: &UserId, blob: BlobId) -> Result<Self> {
        let name = user.folder_name();
        let key = key_of(keys, &name)?.ok_or_else(|| {
            // Destroyed since the vault was looked at.
            Error::storage(StorageFailure::Unavailable, "the user whose attachment it is has no keys")
        })?;
        Ok(Self { key, user: name, blob: *blob.0.as_bytes() })
    }

    pub(crate) fn seal(&self, index: u64, last: bool, frame: &[u8]) -> Result<Vec<u8>> {
        self.key.seal_frame(self.place(index, last), frame).map_err(|error| errors::key(&error))
    }

    pub(crate) fn open(&self, index: u64, last: bool, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        self.key.open_frame(self.place(index, last), sealed).map_err(|error| errors::key(&error))
    }

    fn place(&self, index: u64, last: bool) -> FramePlace<'_> {
        FramePlace { user: &self.user, object: &self.blob, index, last }
    }
}

/// The key of a user's folder; `None` if he has none, or none any more.
fn key_of(keys: &Keys, folder: &str) -> Result<Option<BlobKey>> {
    let key = if keys.are_on() {
        keys.user(folder).map(|keys| keys.map(|keys| keys.attachments))
    } else {
        BlobKey::known_to_all().map(Some)
    };
    key.map_err(|error| errors::key(&error))
}

/// Names objects of one user.
pub(crate) struct Names(BlobKey);

impl Names {
    /// `None` if the user has no keys: then nothing of his can be named, or read.
    pub(crate) fn of(keys: &Keys, user: &UserId) -> Result<Option<Self>> {
        Ok(key_of(keys, &user.folder_name())?.map(Self))
    }

    pub(crate) fn name(&self, blob: BlobId) -> String {
        self.0.object_name(&blob.0.hyphenated().to_string())
    }
}
