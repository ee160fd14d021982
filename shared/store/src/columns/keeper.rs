//! One thing kept of a vault, shared by its readers, within the bound on what is kept of all vaults.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Budget, Stamp};

/// What can be kept.
pub(crate) trait Keep {
    /// The state of the vault that it is of.
    fn stamp(&self) -> Stamp;
    /// Bytes in memory, about.
    fn bytes(&self) -> usize;
}

/// Holds one, or none. Gone with the open vault.
pub(crate) struct Keeper<T: Keep> {
    kept: Mutex<Option<Arc<T>>>,
    budget: Arc<Budget>,
}

impl<T: Keep> Keeper<T> {
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self { kept: Mutex::new(None), budget }
    }

    fn kept(&self) -> MutexGuard<'_, Option<Arc<T>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets it.
    pub(crate) fn forget(&self) {
        if let Some(kept) = self.kept().take() {
            self.budget.exchange(kept.bytes(), 0);
        }
    }

    /// What is kept, of whatever stamp.
    pub(crate) fn look(&self) -> Option<Arc<T>> {
        self.kept().clone()
    }

    /// Keeps something, unless something newer is kept or there is no room.
    pub(crate) fn keep(&self, one: &Arc<T>) {
        let mut kept = self.kept();
        let newer = |have: Stamp| have.created > one.stamp().created || have.changes > one.stamp().changes;
        if kept.as_ref().is_some_and(|have| newer(have.stamp())) {
            return;
        }
        let old = kept.as_ref().map_or(0, |have| have.bytes());
        // What is not kept must not stay either: it may hold words that were erased since.
        *kept = self.budget.exchange(old, one.bytes()).then(|| Arc::clone(one));
    }
}

impl<T: Keep> Drop for Keeper<T> {
    fn drop(&mut self) {
        self.forget();
    }
}
