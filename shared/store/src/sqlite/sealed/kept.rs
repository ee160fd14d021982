//! The words of one open vault's sealed memories, shared by its readers, within the bound on what all vaults keep.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Words;
use crate::columns::{Budget, Stamp};

/// Gone with the open vault.
pub(crate) struct KeptWords {
    kept: Mutex<Option<Arc<Words>>>,
    budget: Arc<Budget>,
}

impl KeptWords {
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self { kept: Mutex::default(), budget }
    }

    fn kept(&self) -> MutexGuard<'_, Option<Arc<Words>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets them.
    pub(crate) fn forget(&self) {
        if let Some(words) = self.kept().take() {
            self.budget.exchange(words.bytes(), 0);
        }
    }

    /// What is kept, of whatever stamp.
    pub(crate) fn look(&self) -> Option<Arc<Words>> {
        self.kept().clone()
    }

    /// Keeps words, unless newer ones are kept or there is no room.
    pub(crate) fn keep(&self, words: &Arc<Words>) {
        let mut kept = self.kept();
        let newer = |have: Stamp| have.created > words.stamp.created || have.changes > words.stamp.changes;
        if kept.as_ref().is_some_and(|have| newer(have.stamp)) {
            return;
        }
        let old = kept.as_ref().map_or(0, |have| have.bytes());
        // What is not kept must not stay either: it may hold words that were erased since.
        *kept = self.budget.exchange(old, words.bytes()).then(|| Arc::clone(words));
    }
}

impl Drop for KeptWords {
    fn drop(&mut self) {
        self.forget();
    }
}
