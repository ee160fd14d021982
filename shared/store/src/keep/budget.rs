//! The bound on what is kept of all vaults together.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that everything that is kept may take.
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

    /// Whether there is room for so many bytes.
    pub(crate) fn has_room_for(&self, bytes: usize) -> bool {
        self.bytes.load(Ordering::Relaxed).saturating_add(bytes) <= self.most
    }

    /// Whether so little room is left that something should go: an eighth.
    pub(crate) fn is_tight(&self) -> bool {
        !self.has_room_for(self.most / 8)
    }
}
