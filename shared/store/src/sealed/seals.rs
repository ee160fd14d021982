//! Seals and opens fields of one user's memories.

use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ids::MemoryId;
use kimberly_crypto::{KeyError, Keys, Sealer, UserKeys};

use super::{Analyser, WordsCache};
use crate::blocking::off_thread;
use crate::{corrupt, keys};

/// The sealing keys of one user while the vault is open, and the words of the sealed memories.
pub(crate) struct Seals {
    user: UserId,
    hash: String,
    keys: Keys,
    held: RwLock<Held>,
    pub(crate) analyser: Arc<Analyser>,
    pub(crate) words: WordsCache,
}

/// State of the user's keys.
enum Held {
    /// Not looked up yet.
    Unknown,
    /// The user had no keys when they were looked up.
    Missing,
    /// This process does not have the ring that opens them.
    Closed,
    /// Keys to seal and open with.
    Open(Arc<Sealer>),
}

impl Seals {
    /// For a user whose keys are not looked up yet.
    pub(crate) fn new(user: &UserId, keys: Keys, analyser: Arc<Analyser>, words: WordsCache) -> Self {
        Self { user: user.clone(), hash: user.folder_name(), keys, held: RwLock::new(Held::Unknown), analyser, words }
    }

    #[cfg(test)]
    pub(super) fn keys_of_test(&self) -> Keys {
        self.keys.clone()
    }

    /// Reports whether sensitive memories are stored sealed: always with encryption.
    pub(crate) fn are_on(&self) -> bool {
        self.keys.are_on()
    }

    /// Evicts the cached words if the vault is hidden or gone.
    pub(crate) fn forget_words_if(&self, gone: impl FnOnce() -> bool) {
        if self.words.look().is_some() && gone() {
            self.words.forget();
        }
    }

    /// Reports whether this process can open sealed fields.
    pub(crate) fn can_open(&self) -> bool {
        self.sealer().is_ok()
    }

    /// Stores the sealer that came with the page key.
    pub(crate) fn hold(&self, sealer: Option<Sealer>) {
        let held = sealer.map_or(Held::Closed, |sealer| Held::Open(Arc::new(sealer)));
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = held;
    }

    /// Looks up the user's keys unless they are known. Missing keys are looked up again, because other processes create
    /// them.
    pub(crate) async fn look(&self) -> Result<()> {
        self.find(Keys::user).await
    }

    /// Looks up the user's keys and creates missing ones. Called before the first write that they seal. A process that
    /// does not load all rings cannot create keys and goes on without.
    pub(crate) async fn make(&self) -> Result<()> {
        self.find(|keys, hash| match keys.user(hash)? {
            None => keys.make_user(hash).map(Some),
            found => Ok(found),
        })
        .await
    }

    async fn find(&self, how: fn(&Keys, &str) -> Result<Option<UserKeys>, KeyError>) -> Result<()> {
        let held = matches!(&*self.held(), Held::Open(_) | Held::Closed);
        if self.are_on() && !held {
            let (keys, hash) = (self.keys.clone(), self.hash.clone());
            match off_thread(move || how(&keys, &hash)).await? {
                Ok(Some(user)) => self.hold(user.sealer),
                Err(KeyError::NotLoaded) => self.hold(None),
                Err(error) => return Err(keys::failure(&error)),
                Ok(None) => *self.held.write().unwrap_or_else(PoisonError::into_inner) = Held::Missing,
            }
        }
        Ok(())
    }

    fn held(&self) -> RwLockReadGuard<'_, Held> {
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Seals a text, bound to its memory and field name.
    pub(crate) fn seal(&self, id: MemoryId, name: &'static str, text: &str) -> Result<Vec<u8>> {
        self.seal_bytes(id, name, text.as_bytes())
    }

    /// Seals bytes, bound to their memory and field name.
    pub(crate) fn seal_bytes(&self, id: MemoryId, name: &'static str, bytes: &[u8]) -> Result<Vec<u8>> {
        let sealed = self.sealer()?.seal(self.user.as_str(), id.0.as_bytes(), name, bytes);
        sealed.map_err(|error| keys::failure(&error))
    }

    /// Returns the blind indexes (keyed hashes) under which sealed memories are found by `text`: one per key, newest key first.
    pub(crate) fn blind_indexes(&self, name: &'static str, text: &str) -> Result<Vec<Vec<u8>>> {
        let blind_indexes = self.sealer()?.blind_indexes(self.user.as_str(), name, text.as_bytes());
        Ok(blind_indexes.map_err(|error| keys::failure(&error))?.into_iter().map(Vec::from).collect())
    }

    /// Opens a text of a memory. A modified or foreign ciphertext is refused; the error names its position, not its contents.
    pub(crate) fn open(&self, id: MemoryId, name: &'static str, sealed: &[u8]) -> Result<String> {
        let opened = self.open_bytes(id, name, sealed)?;
        std::str::from_utf8(&opened).map(str::to_owned).map_err(|_| damaged(name, id))
    }

    /// Opens bytes of a memory, with the same checks.
    pub(crate) fn open_bytes(
        &self,
        id: MemoryId,
        name: &'static str,
        sealed: &[u8],
    ) -> Result<impl Deref<Target = Vec<u8>> + use<>> {
        let open = |by: Arc<Sealer>| by.open(self.user.as_str(), id.0.as_bytes(), name, sealed);
        let opened = match open(self.sealer()?) {
            // Another process may have created a newer key. Blocking here is acceptable because it is rare.
            Err(KeyError::Unopened { .. }) if self.renewed()? => open(self.sealer()?),
            opened => opened,
        };
        opened.map_err(|_| damaged(name, id))
    }

    /// Loads the keys again; returns `true` if they changed.
    fn renewed(&self) -> Result<bool> {
        let before = self.sealer()?.generation();
        let user = self.keys.user(&self.hash).map_err(|error| keys::failure(&error))?;
        let Some(sealer) = user.and_then(|user| user.sealer).filter(|sealer| sealer.generation() != before) else {
            return Ok(false);
        };
        self.hold(Some(sealer));
        Ok(true)
    }

    fn sealer(&self) -> Result<Arc<Sealer>> {
        match &*self.held() {
            Held::Open(sealer) => Ok(Arc::clone(sealer)),
            Held::Missing => Err(missing()),
            Held::Closed => Err(closed()),
            Held::Unknown if self.are_on() => Err(closed()),
            Held::Unknown => Err(keys::failure(&KeyError::Off)),
        }
    }
}

fn damaged(name: &str, id: MemoryId) -> Error {
    corrupt(format!(
        "the sealed {name} of memory {id} does not open: it was changed or belongs elsewhere; put the vault and its \
         key file back from one backup"
    ))
}

fn missing() -> Error {
    let detail = "sensitive memories are sealed, and their user has no keys; put them back from a backup";
    Error::storage(StorageFailure::Unavailable, detail)
}

fn closed() -> Error {
    let detail = "sensitive memories are sealed, and this process does not load the sensitive ring, which opens them";
    Error::storage(StorageFailure::Unavailable, detail)
}
