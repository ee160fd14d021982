//! What this process keeps of vaults in memory: a lock that lets its writers come one after the other without each
//! holding a connection, and columns for recall. Columns are checked against the counters of the reader's own snapshot, so
//! that what another process wrote is seen at once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use kimberly_core::UserId;

use super::works::Waiting;
use crate::columns::{Budget, Cache};

/// Most vaults of which anything is kept; above it, those used least recently are forgotten.
const MOST: usize = 4_096;

/// What is kept of one vault.
pub(crate) struct Kept {
    /// Columns for recall, and of which vault: a user who was purged may have another one now.
    columns: Mutex<(u64, Arc<Cache>)>,
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

impl Kept {
    /// Columns of the vault with this mark.
    pub(crate) fn columns(&self, mark: u64) -> Arc<Cache> {
        let mut columns = self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        if columns.0 != mark {
            *columns = (mark, Arc::new(Cache::new(Arc::clone(&self.budget))));
        }
        Arc::clone(&columns.1)
    }

    /// Forgets what is kept of a vault that is gone.
    pub(crate) fn forget(&self) {
        // Of no vault.
        self.columns(0);
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
            let mut uses: Vec<u64> = vaults.values().map(|kept| kept.used.load(Ordering::Relaxed)).collect();
            uses.sort_unstable();
            let bound = uses.get(MOST / 8).copied().unwrap_or_default();
            // Whoever is in use stays: a second lock beside his would let two write at once, which only costs a wait.
            vaults.retain(|_, kept| Arc::strong_count(kept) > 1 || kept.used.load(Ordering::Relaxed) > bound);
        }
        let kept = Arc::new(Kept {
            columns: Mutex::new((0, Arc::new(Cache::new(Arc::clone(&self.budget))))),
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
