//! The open indices of this process: a bounded LRU cache with an idle timeout.
//!
//! An open index takes descriptors, address space and, in a writer, LMDB's lists, so indices of thousands of users
//! cannot all stay open. An index is opened once: all threads share its slot in the map, many read it, one closes it.
//! Before each use the file at the path is compared with the open one: it was replaced by a compaction, or removed by
//! an erasure.

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

/// How often an index may be replaced or grow during one read.
const ATTEMPTS: u32 = 100;
/// Maximum number of remembered damaged files.
const MAX_FAULTS: usize = 1_024;

/// Bounds on open indices.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Maximum open indices, at least 1; exceeded only while more are in use at once.
    pub max_open: usize,
    /// The idle time after which an index is closed.
    pub idle: Duration,
    /// Number of vectors above which an index has trees: [`crate::SWITCH`], except in tests and benchmarks.
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
    /// Damaged files, so that each is checked and logged only once.
    faults: Mutex<HashMap<PathBuf, Version>>,
    sweeper: Once,
}

/// The slot of one index.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    env: RwLock<Option<Environment>>,
    used: AtomicU64,
}

impl Slot {
    fn read(&self) -> RwLockReadGuard<'_, Option<Environment>> {
        self.env.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for exclusive access; later readers wait.
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

    /// Runs `work` on a snapshot of the index in `folder`; `None` if it is missing.
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
            // The index outgrew our mapping: reopen it with a larger one.
            *slot.exclusive() = None;
        }
        Err(unavailable(&data, "is replaced too often to be read"))
    }

    /// The index; opens it if it is closed or not the file `id`.
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
            // Closed first, since LMDB must not open a folder twice.
            *guard = None;
            *guard = Some(Environment::open(folder, self.access, 0)?);
        }
        Ok(RwLockWriteGuard::downgrade(guard))
    }

    /// The slot of an index; evicts others to make room.
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

    /// Closes an index once it is unused.
    pub(crate) fn close(&self, folder: &Path) {
        let slot = self.slots().get(folder).map(Arc::clone);
        if let Some(slot) = slot {
            *slot.exclusive() = None;
        }
        self.slots().retain(|path, slot| path != folder || Arc::strong_count(slot) > 1);
    }

    /// The number of open indices.
    pub(crate) fn open_count(&self) -> usize {
        self.slots().len()
    }

    /// Closes indices that were idle for too long.
    pub(crate) fn close_idle(&self) {
        let idle = self.options.idle.as_millis();
        let now = self.now();
        // Closed under the lock, so that no thread reopens one meanwhile.
        self.slots().retain(|_, slot| {
            Arc::strong_count(slot) > 1 || u128::from(now - slot.used.load(Ordering::Relaxed).min(now)) < idle
        });
    }

    fn start_sweeper(self: &Arc<Self>) {
        self.sweeper.call_once(|| {
            let (pool, every) = (Arc::downgrade(self), self.options.idle.max(Duration::from_millis(10)) / 2);
            // Sleeps first: a pool that is dropped at once must not live on in the thread, with its indices open.
            let sweep = move || {
                loop {
                    std::thread::sleep(every);
                    let Some(pool) = pool.upgrade() else { return };
                    pool.close_idle();
                }
            };
            if let Err(error) = std::thread::Builder::new().name("index-idle".to_owned()).spawn(sweep) {
                tracing::warn!(%error, "unused vector indexes stay open: no thread to close them");
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
        tracing::error!(%error, "a vector index cannot be read: queries do not use it");
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

/// Evicts the least recently used indices until one more fits, except those in use.
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
