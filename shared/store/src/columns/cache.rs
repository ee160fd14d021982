//! The columns of one open vault, shared by its readers, and the bound on all of them together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Columns, LARGEST};

/// Where a snapshot stands, as far as recall sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Memories ever created.
    pub(crate) created: i64,
    /// Other changes that recall sees.
    pub(crate) changes: i64,
    /// Memories in any state.
    pub(crate) items: u64,
}

/// Bytes that the columns of all open vaults may take.
#[derive(Debug)]
pub(crate) struct Budget {
    bytes: AtomicUsize,
    most: usize,
}

impl Budget {
    pub(crate) fn new(most: usize) -> Self {
        Self { bytes: AtomicUsize::new(0), most }
    }

    /// Gives `old` bytes back and takes `new` ones if there is room for them; else only gives back, and says `false`.
    pub(crate) fn exchange(&self, old: usize, new: usize) -> bool {
        let others = self.bytes.load(Ordering::Relaxed).saturating_sub(old);
        let fits = others.saturating_add(new) <= self.most;
        if fits {
            self.bytes.fetch_add(new, Ordering::Relaxed);
        }
        self.bytes.fetch_sub(old, Ordering::Relaxed);
        fits
    }
}

/// The columns of one vault.
pub(crate) struct Cache {
    kept: Mutex<Option<Arc<Columns>>>,
    budget: Arc<Budget>,
}

/// What there is for a snapshot.
pub(crate) enum Kept {
    /// Just these.
    Fresh(Arc<Columns>),
    /// These, and memories with a higher number than the given one.
    Older(Arc<Columns>, i64),
    /// Nothing of use.
    Nothing,
    /// Newer ones, which this snapshot must not see, or the vault is too large: ask SQL.
    Unfit,
}

impl Cache {
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self { kept: Mutex::default(), budget }
    }

    fn kept(&self) -> MutexGuard<'_, Option<Arc<Columns>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it makes sense to ask: there is something, or room for it.
    pub(crate) fn is_promising(&self) -> bool {
        self.kept().is_some() || self.budget.bytes.load(Ordering::Relaxed) < self.budget.most
    }

    /// What is kept for a snapshot.
    pub(crate) fn look(&self, stamp: Stamp) -> Kept {
        if stamp.items > LARGEST {
            return Kept::Unfit;
        }
        match &*self.kept() {
            Some(columns) if columns.stamp == stamp => Kept::Fresh(Arc::clone(columns)),
            Some(columns) if columns.stamp.created > stamp.created || columns.stamp.changes > stamp.changes => {
                Kept::Unfit
            }
            Some(columns) if columns.stamp.changes == stamp.changes => {
                Kept::Older(Arc::clone(columns), columns.stamp.created)
            }
            _ => Kept::Nothing,
        }
    }

    /// Keeps columns, unless newer ones are kept or there is no room.
    pub(crate) fn keep(&self, columns: &Arc<Columns>) {
        let mut kept = self.kept();
        let (old, new) = (kept.as_ref().map_or(0, |have| have.bytes()), columns.bytes());
        let newer = kept.as_ref().is_some_and(|have| {
            have.stamp.created > columns.stamp.created || have.stamp.changes > columns.stamp.changes
        });
        let others = self.budget.bytes.load(Ordering::Relaxed).saturating_sub(old);
        if newer || others + new > self.budget.most {
            return;
        }
        self.budget.bytes.fetch_add(new, Ordering::Relaxed);
        self.budget.bytes.fetch_sub(old, Ordering::Relaxed);
        *kept = Some(Arc::clone(columns));
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let bytes = self.kept().as_ref().map_or(0, |columns| columns.bytes());
        self.budget.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}
