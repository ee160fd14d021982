//! Opens the keys of a data folder. Starts are serialized; the first one creates what is missing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::first_start::{data_id, is_first, make_rings, plain, refuse_orphans, refuse_plain, shared_id};
use super::lost::refuse_lost_keys;
use super::rings::Rings;
use super::{Inner, Keys, Loads, SystemSecrets};
use crate::folders::{Lock, make_private};
use crate::key_file::KeyFile;
use crate::wrap::Purpose;
use crate::{Created, FileKeyStore, KeyError, KeyId, KeyName, KeySources, KeyStore, RingName, Secret32, source};

/// Attempts when another process changes the file concurrently.
const ATTEMPTS: usize = 8;

impl Keys {
    /// Opens the keys of `data_dir`, which must exist. A first start, before anything was wrapped, creates the id of
    /// the folder, both rings if they are files, and the keys of `system.db` and `queue.db`. Later starts refuse a
    /// missing ring. Concurrent starts wait for each other.
    pub fn open(data_dir: &Path, sources: &KeySources, loads: Loads) -> Result<Self, KeyError> {
        let store = FileKeyStore::new(data_dir.join("keys"));
        let look = |first| {
            refuse_plain(data_dir)?;
            refuse_orphans(data_dir, &store)?;
            refuse_lost_keys(data_dir)?;
            data_id(&store, first)
        };
        Self::open_at(data_dir, sources, loads, (Arc::new(store.clone()), look))
    }

    /// Opens keys stored outside the data folder, in a database shared by several machines. `sources` must name the
    /// same rings on each machine: if machines with different rings start for the first time concurrently, one wins
    /// and the others are refused, as is any later one that lacks the ring keys.
    pub fn open_in(
        data_dir: &Path,
        sources: &KeySources,
        loads: Loads,
        store: Arc<dyn KeyStore>,
    ) -> Result<Self, KeyError> {
        let folder = FileKeyStore::new(data_dir.join("keys"));
        let asked = Arc::clone(&store);
        let look = move |first| {
            if first && asked.holds_users_without_keys()? {
                return Err(plain("the database holds users whose memories are not sealed", "schema"));
            }
            shared_id(&folder, &*asked, first)
        };
        Self::open_at(data_dir, sources, loads, (store, look))
    }

    /// `look` refuses an unusable state, and finds or creates the id.
    fn open_at(
        data_dir: &Path,
        sources: &KeySources,
        loads: Loads,
        (store, look): (Arc<dyn KeyStore>, impl FnOnce(bool) -> Result<String, KeyError>),
    ) -> Result<Self, KeyError> {
        let folder = data_dir.join("keys");
        make_private(&folder)?;
        let _held = Lock::wait(&folder.join(".lock"))?;
        let _wrapping = Lock::shared(&rings_lock(&folder))?;
        let first = is_first(&*store)?;
        let data_id = look(first)?;
        let locations = sources.locations(&data_id, data_dir)?;
        let created = if first { make_rings(&locations, &data_id, data_dir)? } else { None };
        let ring_folder = locations.folder.clone();
        let rings = Rings::load(locations, loads, |ring, location| missing(ring, location, data_dir, &*store))?;
        // First: of machines that start concurrently with different rings, only one passes this check.
        let system = ensure(&*store, &rings, &data_id, &KeyName::System)?;
        let system = check_system(&*store, &rings, &data_id, system)?;
        ensure(&*store, &rings, &data_id, &KeyName::Queue)?;
        let rings_lock = rings_lock(&folder);
        let inner = Inner { data_id, folder: ring_folder, store, rings, rings_lock, system, created };
        Ok(Self(Some(Arc::new(inner))))
    }
}

/// Held exclusively to change a ring, shared to wrap a key: a key is always wrapped by the current ring.
pub(crate) fn rings_lock(keys: &Path) -> PathBuf {
    keys.join(".rings.lock")
}

/// The refusal of a missing ring; names its key if a key file does.
fn missing(ring: RingName, location: &source::Location, data_dir: &Path, store: &dyn KeyStore) -> KeyError {
    let data = data_dir.display().to_string();
    KeyError::RingMissing { ring, id: wrapped_by(store, ring), location: location.to_string(), data }
}

fn wrapped_by(store: &dyn KeyStore, ring: RingName) -> Option<KeyId> {
    let bytes = store.read(&KeyName::System).ok()??;
    KeyFile::parse(&KeyName::System, &bytes).ok()?.wrapped_by(ring).cloned()
}

/// The key file of a database, created if it is missing.
fn ensure(store: &dyn KeyStore, rings: &Rings, data_id: &str, name: &KeyName) -> Result<KeyFile, KeyError> {
    for _ in 0..ATTEMPTS {
        if let Some(bytes) = store.read(name)? {
            return KeyFile::parse(name, &bytes);
        }
        let fresh = |purpose| rings.wrap(data_id, name, purpose, 1, &Secret32::random()?);
        let mut file = KeyFile::new(name, fresh(Purpose::Db)?);
        if *name == KeyName::System {
            file.audit = Some(fresh(Purpose::Audit)?);
        }
        if store.create_new(name, &file.to_bytes()?)? == Created::Made {
            return Ok(file);
        }
    }
    Err(KeyError::damaged(name.to_string(), "it appears and disappears"))
}

/// Opens the keys in `system.key`, so that a start with other rings fails here and not at the first user. A process
/// that loads the sensitive ring adds, once, a key there that identifies the ring.
fn check_system(
    store: &dyn KeyStore,
    rings: &Rings,
    data_id: &str,
    mut file: KeyFile,
) -> Result<SystemSecrets, KeyError> {
    let name = KeyName::System;
    let audit = file.audit.as_ref().ok_or_else(|| KeyError::damaged(name.to_string(), "it has no key of the audit"))?;
    let db = rings.unwrap(data_id, &name, Purpose::Db, &file.db)?;
    let seed = rings.unwrap(data_id, &name, Purpose::Audit, audit)?;
    if file.sealing.is_empty() && rings.has(RingName::Sensitive) {
        let old = file.to_bytes()?;
        let known = rings.wrap(data_id, &name, Purpose::Sealing, 1, &Secret32::random()?)?;
        file.sealing.push(known);
        if !store.replace(&name, &old, &file.to_bytes()?)? {
            file = ensure(store, rings, data_id, &name)?;
        }
    }
    for known in file.sealing.iter().filter(|_| rings.has(RingName::Sensitive)) {
        rings.unwrap(data_id, &name, Purpose::Sealing, known)?;
    }
    SystemSecrets::from_keys(data_id, &db, &seed)
}
