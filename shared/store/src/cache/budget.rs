//! The memory budget of all caches of all vaults.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts cached bytes against a limit.
#[derive(Debug)]
pub(crate) struct Budget {
    bytes: AtomicUsize,
    most: usize,
}

impl Budget {
    pub(crate) fn new(most: usize) -> Self {
        Self { bytes: AtomicUsize::new(0), most }
    }

    /// Replaces `old` bytes by `new` ones if they fit. Otherwise releases `old` and returns `false`.
    pub(crate) fn exchange(&self, old: usize, new: usize) -> bool {
        let with_new = |bytes: usize| {
            let with = bytes.saturating_sub(old).saturating_add(new);
            (with <= self.most).then_some(with)
        };
        let fits = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, with_new).is_ok();
        if !fits {
            self.bytes.fetch_sub(old, Ordering::Relaxed);
        }
        fits
    }

    /// Reports whether this many more bytes fit.
    pub(crate) fn has_room_for(&self, bytes: usize) -> bool {
        self.bytes.load(Ordering::Relaxed).saturating_add(bytes) <= self.most
    }

    /// Reports whether less than an eighth of the budget is free, so caches should be evicted.
    pub(crate) fn is_tight(&self) -> bool {
        !self.has_room_for(self.most / 8)
    }
}
