//! What this process keeps of vaults in memory: a lock that lets its writers come one after the other without each
//! holding a connection, columns for recall, and what seals sensitive memories. Columns are checked against the counters of the reader's own snapshot, so
//! that what another process wrote is seen at once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use kimberly_core::UserId;
use kimberly_crypto::Keys;

use super::reader::Vocabulary;
use super::works::Waiting;
use crate::columns::{Budget, Cache, Keeper};
use crate::sealed::{Analyser, KeptWords, Seals};

/// Most vaults of which anything is kept; above it, those used least recently are forgotten.
const MOST: usize = 4_096;

/// What is kept of one vault.
pub(crate) struct Kept {
    /// Of the vault with a mark: a user who was purged may have another one now, with other keys.
    of: Mutex<(u64, Arc<OfVault>)>,
    user: UserId,
    common: Arc<Common>,
    /// Works that wait to be begun.
    pub(crate) waiting: Waiting,
    /// Held by the one who carries them out in this process.
    pub(crate) writing: Arc<tokio::sync::Mutex<()>>,
    used: AtomicU64,
}

/// What all vaults have in common.
struct Common {
    budget: Arc<Budget>,
    keys: Keys,
    analyser: Arc<Analyser>,
}

/// What is kept of all vaults.
pub(crate) struct KeptVaults {
    common: Arc<Common>,
    vaults: Mutex<HashMap<UserId, Arc<Kept>>>,
    uses: AtomicU64,
}

/// What is kept of a vault; columns, vocabulary and words are for readers, and valid for counters that they name.
pub(crate) struct OfVault {
    /// Columns for recall.
    pub(crate) columns: Cache,
    /// Words, where one was ever misspelled.
    pub(crate) vocabulary: Keeper<Vocabulary>,
    /// What seals and opens its sensitive memories, and the words of those.
    pub(crate) seals: Arc<Seals>,
}

impl OfVault {
    fn new(user: &UserId, common: &Common) -> Self {
        let Common { budget, keys, analyser } = common;
        let words = KeptWords::new(Arc::clone(budget));
        Self {
            columns: Cache::new(Arc::clone(budget)),
            vocabulary: Keeper::new(Arc::clone(budget)),
            seals: Arc::new(Seals::new(user, keys.clone(), Arc::clone(analyser), words)),
        }
    }
}

impl Kept {
    /// What is kept of the vault with this mark.
    pub(crate) fn of(&self, mark: u64) -> Arc<OfVault> {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        if of.0 != mark {
            *of = (mark, Arc::new(OfVault::new(&self.user, &self.common)));
        }
        Arc::clone(&of.1)
    }

    /// Forgets what is kept of a vault that is gone.
    pub(crate) fn forget(&self) {
        // Of no vault.
        drop(self.of(0));
    }
}

impl KeptVaults {
    /// Within a bound on the bytes of what is kept for readers.
    pub(crate) fn new(column_bytes: usize, keys: Keys, analyser: Arc<Analyser>) -> Self {
        let common = Common { budget: Arc::new(Budget::new(column_bytes)), keys, analyser };
        Self { common: Arc::new(common), vaults: Mutex::default(), uses: AtomicU64::new(0) }
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
            of: Mutex::new((0, Arc::new(OfVault::new(user, &self.common)))),
            user: user.clone(),
            common: Arc::clone(&self.common),
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
