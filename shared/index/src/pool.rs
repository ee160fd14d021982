//! The open indices of this process: at most so many, the least recently used closed first, those long unused too.
//!
//! An open index takes descriptors, address space and, in a writer, LMDB's lists; so thousands of users must not keep
//! theirs open. An index is open once: a place in the map is shared by all threads, read by many, closed by one. Before
//! each use the file at the path is compared with the one that is open: it is another one after a compaction, and none
//! after an erasure.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use heed::MdbError;
use kimberly_core::error::{Error, Result};

use crate::check::{Identity, Version};
use crate::environment::{Access, Environment};
use crate::errors::{corrupt, is_corrupt, lmdb, unavailable};
use crate::layout::DATA;
use crate::store::Snapshot;
use crate::tree::SWITCH;

/// How often an index may be replaced or grow while one call wants to read it.
const ATTEMPTS: u32 = 100;
/// Files known to be damaged that are remembered.
const MAX_FAULTS: usize = 1_024;

/// Bounds on open indices.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Indices open at a time, 1 or more; more only while more are in use at the same moment.
    pub max_open: usize,
    /// After how long without use an index is closed.
    pub idle: Duration,
    /// Vectors above which an index keeps trees: [`crate::SWITCH`], but where the two are compared.
    pub switch_at: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_open: 64, idle: Duration::from_mins(1), switch_at: SWITCH }
    }
}

/// The open indices.
#[derive(Debug)]
pub(crate) struct Pool {
    access: Access,
    options: Options,
    started: Instant,
    slots: Mutex<HashMap<PathBuf, Arc<Slot>>>,
    /// Damaged files, so that each is read and logged once.
    faults: Mutex<HashMap<PathBuf, Version>>,
    sweeper: Once,
}

/// A place for one index.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    env: RwLock<Option<Environment>>,
    used: AtomicU64,
}

impl Slot {
    fn read(&self) -> RwLockReadGuard<'_, Option<Environment>> {
        self.env.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody reads; whoever comes then waits.
    pub(crate) fn exclusive(&self) -> RwLockWriteGuard<'_, Option<Environment>> {
        self.env.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    pub(crate) fn new(access: Access, options: Options) -> Arc<Self> {
        Arc::new(Self {
            access,
            options,
            started: Instant::now(),
            slots: Mutex::default(),
            faults: Mutex::default(),
            sweeper: Once::new(),
        })
    }

    /// Works on a snapshot of the index in `folder`; `None` if there is none.
    pub(crate) fn read<T>(
        self: &Arc<Self>,
        folder: &Path,
        mut work: impl FnMut(&Snapshot<'_>, &Environment) -> Result<T>,
    ) -> Result<Option<T>> {
        let data = folder.join(DATA);
        for _ in 0..ATTEMPTS {
            let Some(version) = Version::at(&data)? else {
                self.close(folder);
                return Ok(None);
            };
            let id = version.id;
            self.refuse_damaged(&data, version)?;
            let slot = self.slot(folder);
            let guard = match self.opened(&slot, folder, id) {
                Ok(guard) => guard,
                // Replaced or removed while it was being opened.
                Err(_) if Identity::at(&data)? != Some(id) => continue,
                Err(error) => {
                    self.note(&data, version, &error);
                    return Err(error);
                }
            };
            let Some(env) = guard.as_ref().filter(|env| env.id() == id) else { continue };
            match env.read_txn() {
                Ok(txn) => {
                    let worked = Snapshot::new(&txn, env.store, env.path()).and_then(|snapshot| work(&snapshot, env));
                    return worked.map(Some).inspect_err(|error| self.note(&data, version, error));
                }
                Err(heed::Error::Mdb(MdbError::MapResized)) => {}
                Err(error) => return Err(lmdb("reading", &data, &error)),
            }
            drop(guard);
            // It outgrew our map: opened again with a larger one.
            *slot.exclusive() = None;
        }
        Err(unavailable(&data, "is replaced too often to be read"))
    }

    /// The index, opened if it is not, or not the file `id`.
    fn opened<'s>(
        &self,
        slot: &'s Slot,
        folder: &Path,
        id: Identity,
    ) -> Result<RwLockReadGuard<'s, Option<Environment>>> {
        let guard = slot.read();
        if guard.as_ref().is_some_and(|env| env.id() == id) {
            return Ok(guard);
        }
        drop(guard);
        let mut guard = slot.exclusive();
        if guard.as_ref().is_none_or(|env| env.id() != id) {
            // Closed first: one folder is never open twice.
            *guard = None;
            *guard = Some(Environment::open(folder, self.access, 0)?);
        }
        Ok(RwLockWriteGuard::downgrade(guard))
    }

    /// The place of an index; makes room for it.
    pub(crate) fn slot(self: &Arc<Self>, folder: &Path) -> Arc<Slot> {
        self.start_sweeper();
        let mut slots = self.slots();
        if !slots.contains_key(folder) {
            make_room(&mut slots, self.options.max_open);
        }
        let slot = Arc::clone(slots.entry(folder.to_owned()).or_default());
        slot.used.store(self.now(), Ordering::Relaxed);
        slot
    }

    /// Closes an index as soon as nobody uses it.
    pub(crate) fn close(&self, folder: &Path) {
        let slot = self.slots().get(folder).map(Arc::clone);
        if let Some(slot) = slot {
            *slot.exclusive() = None;
        }
        self.slots().retain(|path, slot| path != folder || Arc::strong_count(slot) > 1);
    }

    /// How many are open.
    pub(crate) fn open_count(&self) -> usize {
        self.slots().len()
    }

    /// Closes what was not used for the idle time.
    pub(crate) fn close_idle(&self) {
        let idle = self.options.idle.as_millis();
        let now = self.now();
        // Closed under the lock, so that nobody opens one again while it is being closed.
        self.slots().retain(|_, slot| {
            Arc::strong_count(slot) > 1 || u128::from(now - slot.used.load(Ordering::Relaxed).min(now)) < idle
        });
    }

    fn start_sweeper(self: &Arc<Self>) {
        self.sweeper.call_once(|| {
            let (pool, every) = (Arc::downgrade(self), self.options.idle.max(Duration::from_millis(10)) / 2);
            let sweep = move || {
                while let Some(pool) = pool.upgrade() {
                    pool.close_idle();
                    drop(pool);
                    std::thread::sleep(every);
                }
            };
            if let Err(error) = std::thread::Builder::new().name("index-idle".to_owned()).spawn(sweep) {
                tracing::warn!(%error, "unused indices of vectors stay open: no thread to close them");
            }
        });
    }

    fn refuse_damaged(&self, data: &Path, version: Version) -> Result<()> {
        let known = self.faults().get(data) == Some(&version);
        if known && self.access == Access::Read { Err(corrupt(data, "is damaged, as was logged")) } else { Ok(()) }
    }

    /// Remembers a damaged file, and logs it the first time.
    pub(crate) fn note(&self, path: &Path, version: Version, error: &Error) {
        let mut faults = self.faults();
        if !is_corrupt(error) || faults.get(path) == Some(&version) {
            return;
        }
        tracing::error!(%error, "an index of vectors cannot be read: queries go without it");
        if faults.len() >= MAX_FAULTS {
            faults.clear();
        }
        faults.insert(path.to_owned(), version);
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn faults(&self) -> MutexGuard<'_, HashMap<PathBuf, Version>> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes the least recently used until one more fits, but none that is in use.
fn make_room(slots: &mut HashMap<PathBuf, Arc<Slot>>, max_open: usize) {
    while slots.len() >= max_open.max(1) {
        let unused = slots.iter().filter(|(_, slot)| Arc::strong_count(slot) == 1);
        let Some(path) = unused.min_by_key(|(_, slot)| slot.used.load(Ordering::Relaxed)).map(|(path, _)| path.clone())
        else {
            return;
        };
        slots.remove(&path);
    }
}
