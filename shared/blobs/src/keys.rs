//! The keys of one user's blobs.

use std::sync::Arc;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ids::{BlobId, UserId};
use kimberly_crypto::{BlobKey, FramePosition, Keys, Sealer};
use zeroize::Zeroizing;

use crate::errors;

/// The key of one blob.
#[derive(Debug)]
pub(crate) struct BlobSeal {
    key: Arc<BlobKey>,
    /// The generation of the key, if it is a sensitive one.
    generation: Option<u32>,
    /// The user's sensitive keys. `None` without encryption, or if the process does not load their ring.
    sealer: Option<Arc<Sealer>>,
    user: String,
    blob: [u8; 16],
}

impl BlobSeal {
    /// Returns the generation of the key, if it is a sensitive one.
    pub(crate) const fn generation(&self) -> Option<u32> {
        self.generation
    }

    /// Switches to the sensitive key of a generation.
    pub(crate) fn open_as_sensitive(&mut self, generation: u32) -> Result<()> {
        let sealer = self.sealer.as_ref().ok_or_else(closed)?;
        let key = sealer.attachments(generation).map_err(|error| errors::key(&error))?;
        let none = || errors::damaged("it is sealed under a sensitive key that its user does not have");
        self.key = Arc::new(key.ok_or_else(none)?);
        self.generation = Some(generation);
        Ok(())
    }

    pub(crate) fn seal(&self, index: u64, last: bool, frame: &[u8]) -> Result<Vec<u8>> {
        self.key.seal_frame(self.position(index, last), frame).map_err(|error| errors::key(&error))
    }

    pub(crate) fn open(&self, index: u64, last: bool, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        self.key.open_frame(self.position(index, last), sealed).map_err(|error| errors::key(&error))
    }

    fn position(&self, index: u64, last: bool) -> FramePosition<'_> {
        FramePosition { user: &self.user, object: &self.blob, index, last }
    }
}

/// Seals one user's blobs and names their objects.
pub(crate) struct UserBlobs {
    user: String,
    /// The user's own key. Without encryption, a publicly known one.
    key: Arc<BlobKey>,
    /// The user's sensitive keys. `None` without encryption, or if the process does not load their ring.
    sealer: Option<Arc<Sealer>>,
}

impl UserBlobs {
    /// Loads the user's keys. Returns `None` if the user has none, so that their blobs can be neither named nor read.
    /// Without encryption every user has keys.
    pub(crate) async fn of(keys: &Keys, user: &UserId) -> Result<Option<Self>> {
        let (keys, user) = (keys.clone(), user.folder_name());
        // Reads a file and unwraps keys, which may run a command of the operator.
        let opened = tokio::task::spawn_blocking(move || Self::open(&keys, user)).await;
        let panicked = |_| Error::storage(StorageFailure::Defect, "opening the keys of attachments panicked");
        opened.map_err(panicked)?
    }

    fn open(keys: &Keys, user: String) -> Result<Option<Self>> {
        let failed = |error| errors::key(&error);
        if !keys.are_on() {
            let key = Arc::new(BlobKey::known_to_all().map_err(failed)?);
            return Ok(Some(Self { user, key, sealer: None }));
        }
        let Some(own) = keys.user(&user).map_err(failed)? else { return Ok(None) };
        Ok(Some(Self { user, key: Arc::new(own.attachments), sealer: own.sealer.map(Arc::new) }))
    }

    /// Like [`Self::of`], for a user who must have keys.
    pub(crate) async fn of_owner(keys: &Keys, user: &UserId) -> Result<Self> {
        // The keys were destroyed after the vault was read.
        let gone = || Error::storage(StorageFailure::Unavailable, "the user whose attachment it is has no keys");
        Self::of(keys, user).await?.ok_or_else(gone)
    }

    /// Returns the blobs of a user in a data folder without encryption.
    #[cfg(feature = "fuzzing")]
    pub(crate) fn of_anybody(user: &UserId) -> Result<Option<Self>> {
        Self::open(&Keys::off(), user.folder_name())
    }

    /// Returns the object name and key for writing a blob: the newest sensitive key, or else the key of attachments.
    pub(crate) fn to_write(&self, blob: BlobId, sensitive: bool) -> Result<(String, BlobSeal)> {
        let mut seal = self.seal(blob);
        if sensitive {
            let newest = self.sealer.as_ref().ok_or_else(closed)?.generation();
            seal.open_as_sensitive(newest)?;
        }
        Ok((self.name(blob), seal))
    }

    /// Returns the object name of a blob.
    pub(crate) fn name(&self, blob: BlobId) -> String {
        self.key.object_name(&blob.0.hyphenated().to_string())
    }

    /// Returns the key that opens a blob, which is the key of attachments until the object's header selects another.
    pub(crate) fn seal(&self, blob: BlobId) -> BlobSeal {
        let (key, sealer, user) = (Arc::clone(&self.key), self.sealer.clone(), self.user.clone());
        BlobSeal { key, generation: None, sealer, user, blob: *blob.0.as_bytes() }
    }
}

fn closed() -> Error {
    let detail = "attachments of sensitive memories are sealed, and this process does not load the sensitive ring, which \
                  opens them";
    Error::storage(StorageFailure::Unavailable, detail)
}
