//! What this process keeps of vaults in memory: a lock that lets its writers come one after the other without each
//! holding a connection, and columns for recall. Columns are checked against the counters of the reader's own snapshot, so
//! that what another process wrote is seen at once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use kimberly_core::UserId;

use super::reader::Vocabulary;
use super::works::Waiting;
use crate::columns::{Budget, Cache, Keeper};

/// Most vaults of which anything is kept; above it, those used least recently are forgotten.
const MOST: usize = 4_096;

/// What is kept of one vault.
pub(crate) struct Kept {
    /// Of the vault with a mark: a user who was purged may have another one now.
    read: Mutex<(u64, Arc<ForReaders>)>,
    budget: Arc<Budget>,
    /// Works that wait to be begun.
    pub(crate) waiting: Waiting,
    /// Held by the one who carries them out in this process.
    pub(crate) writing: Arc<tokio::sync::Mutex<()>>,
    used: AtomicU64,
}

/// What is kept of all vaults.
pub(crate) struct KeptVaults {
    budget: Arc<Budget>,
    vaults: Mutex<HashMap<UserId, Arc<Kept>>>,
    uses: AtomicU64,
}

/// What is kept for readers, valid for counters that it names.
pub(crate) struct ForReaders {
    /// Columns for recall.
    pub(crate) columns: Cache,
    /// Words, where one was ever misspelled.
    pub(crate) vocabulary: Keeper<Vocabulary>,
}

impl ForReaders {
    fn new(budget: &Arc<Budget>) -> Self {
        Self { columns: Cache::new(Arc::clone(budget)), vocabulary: Keeper::new(Arc::clone(budget)) }
    }
}

impl Kept {
    /// What is kept for readers of the vault with this mark.
    pub(crate) fn of(&self, mark: u64) -> Arc<ForReaders> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.0 != mark {
            *read = (mark, Arc::new(ForReaders::new(&self.budget)));
        }
        Arc::clone(&read.1)
    }

    /// Forgets what is kept of a vault that is gone.
    pub(crate) fn forget(&self) {
        // Of no vault.
        drop(self.of(0));
    }
}

impl KeptVaults {
    pub(crate) fn new(column_bytes: usize) -> Self {
        Self { budget: Arc::new(Budget::new(column_bytes)), vaults: Mutex::default(), uses: AtomicU64::new(0) }
    }

    /// What is kept of a user's vault.
    pub(crate) fn of(&self, user: &UserId) -> Arc<Kept> {
        let now = self.uses.fetch_add(1, Ordering::Relaxed);
        let mut vaults = self.vaults.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = vaults.get(user) {
            kept.used.store(now, Ordering::Relaxed);
            return Arc::clone(kept);
        }
        if vaults.len() >= MOST {
            let mut times: Vec<u64> = vaults.values().map(|kept| kept.used.load(Ordering::Relaxed)).collect();
            times.sort_unstable();
            let bound = times.get(MOST / 8).copied().unwrap_or_default();
            // Whoever is in use stays: a second lock beside his would let two write at once, which only costs a wait.
            vaults.retain(|_, kept| Arc::strong_count(kept) > 1 || kept.used.load(Ordering::Relaxed) > bound);
        }
        let kept = Arc::new(Kept {
            read: Mutex::new((0, Arc::new(ForReaders::new(&self.budget)))),
            budget: Arc::clone(&self.budget),
            waiting: Waiting::default(),
            writing: Arc::default(),
            used: AtomicU64::new(now),
        });
        vaults.insert(user.clone(), Arc::clone(&kept));
        kept
    }

    /// Of how many vaults something is kept.
    pub(crate) fn len(&self) -> usize {
        self.vaults.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
