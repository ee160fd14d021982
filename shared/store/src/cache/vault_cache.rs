//! A cache of one value per vault, shared by the vault's readers and limited by the budget of all vaults.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Budget, Stamp};

/// A value that can be cached.
pub(crate) trait CacheEntry {
    /// The vault state that the value was derived from.
    fn stamp(&self) -> Stamp;
    /// Approximate size in bytes.
    fn bytes(&self) -> usize;
}

/// A read transaction's knowledge of the cached value.
#[derive(Default)]
pub(crate) enum Seen<T> {
    /// It has not looked yet.
    #[default]
    Unknown,
    /// The value for its snapshot.
    Fit(Arc<T>),
    /// No value fits its snapshot: use SQL.
    Unfit,
}

impl<T> Seen<T> {
    /// Converts a lookup result.
    pub(crate) fn of(found: Option<Arc<T>>) -> Self {
        found.map_or(Self::Unfit, Self::Fit)
    }

    /// Returns the value for the snapshot, if any.
    pub(crate) fn fit(&self) -> Option<Arc<T>> {
        match self {
            Self::Fit(fit) => Some(Arc::clone(fit)),
            Self::Unknown | Self::Unfit => None,
        }
    }
}

/// Result of a cache lookup for a snapshot.
#[derive(Debug, PartialEq)]
pub(crate) enum CacheLookup<T> {
    /// A value for exactly this snapshot.
    Fresh(Arc<T>),
    /// A value that only lacks memories created after its stamp.
    Older(Arc<T>),
    /// No usable value.
    Nothing,
    /// A value newer than the snapshot, which the snapshot must not see.
    Unfit,
}

/// Caches at most one value; dropped with the open vault.
pub(crate) struct VaultCache<T: CacheEntry> {
    entry: Mutex<Option<Arc<T>>>,
    /// Size of the last value that did not fit the budget, in bytes.
    refused: AtomicUsize,
    /// Whether a reader loads a value.
    loading: AtomicBool,
    /// Values from before this number of changes are not cached any more: they may contain erased text.
    floor: AtomicI64,
    budget: Arc<Budget>,
}

/// The right to load a value, of one reader per vault at a time. The bytes that it uses count against the budget.
pub(crate) struct Loading<'c, T: CacheEntry> {
    cache: &'c VaultCache<T>,
    bytes: usize,
}

/// Bytes that a loading reader takes from the budget ahead.
const STEP: usize = 64 * 1024;

impl<T: CacheEntry> VaultCache<T> {
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self {
            entry: Mutex::new(None),
            refused: AtomicUsize::new(0),
            loading: AtomicBool::new(false),
            floor: AtomicI64::new(i64::MIN),
            budget,
        }
    }

    fn entry(&self) -> MutexGuard<'_, Option<Arc<T>>> {
        self.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports whether a lookup or building a value is worthwhile: a value is cached, or the budget probably has room
    /// for one.
    pub(crate) fn is_promising(&self) -> bool {
        self.entry().is_some() || self.budget.has_room_for(self.refused.load(Ordering::Relaxed).max(1))
    }

    /// Evicts the value.
    pub(crate) fn forget(&self) {
        self.evict(&mut self.entry());
    }

    /// Evicts a value from before this number of changes, and refuses one that a reader is still loading.
    pub(crate) fn forget_before(&self, changes: i64) {
        let mut entry = self.entry();
        self.floor.fetch_max(changes, Ordering::Relaxed);
        if entry.as_ref().is_some_and(|have| have.stamp().changes < changes) {
            self.evict(&mut entry);
        }
    }

    fn evict(&self, entry: &mut Option<Arc<T>>) {
        if let Some(entry) = entry.take() {
            self.budget.exchange(entry.bytes(), 0);
        }
    }

    /// Begins to load a value of about so many bytes. `None` while another reader loads one, or if the budget has no
    /// room: the caller uses SQL.
    pub(crate) fn begin(&self, bytes: usize) -> Option<Loading<'_, T>> {
        if self.loading.swap(true, Ordering::AcqRel) {
            return None;
        }
        let mut loading = Loading { cache: self, bytes: 0 };
        loading.fits(bytes).then_some(loading)
    }

    /// Returns the cached value, whatever its stamp.
    pub(crate) fn look(&self) -> Option<Arc<T>> {
        self.entry().clone()
    }

    /// Looks up the value for a snapshot. Evicts a value that no snapshot can use any more: it may contain erased text.
    pub(crate) fn at(&self, stamp: Stamp) -> CacheLookup<T> {
        let Some(entry) = self.look() else { return CacheLookup::Nothing };
        let has = entry.stamp();
        if has == stamp {
            CacheLookup::Fresh(entry)
        } else if has.is_beyond(stamp) {
            CacheLookup::Unfit
        } else if has.changes == stamp.changes {
            CacheLookup::Older(entry)
        } else {
            self.forget();
            CacheLookup::Nothing
        }
    }

    /// Caches a value, unless a newer one is cached, it is to be forgotten, or the budget is full.
    pub(crate) fn put(&self, one: &Arc<T>) {
        self.exchange(&mut self.entry(), one, 0);
    }

    /// Caches a value for which so many bytes of the budget are taken already.
    fn exchange(&self, entry: &mut Option<Arc<T>>, one: &Arc<T>, taken: usize) {
        let is_stale = one.stamp().changes < self.floor.load(Ordering::Relaxed);
        if is_stale || entry.as_ref().is_some_and(|have| have.stamp().is_beyond(one.stamp())) {
            self.budget.exchange(taken, 0);
            return;
        }
        let (old, new) = (entry.as_ref().map_or(0, |have| have.bytes()), one.bytes());
        // If the new value does not fit, the old one goes too: it may contain erased text.
        *entry = self.budget.exchange(old + taken, new).then(|| Arc::clone(one));
        self.refused.store(if entry.is_some() { 0 } else { new }, Ordering::Relaxed);
    }
}

impl<T: CacheEntry> Loading<'_, T> {
    /// Reports whether the budget has room for a value of so many bytes, and takes them.
    pub(crate) fn fits(&mut self, bytes: usize) -> bool {
        if bytes <= self.bytes {
            return true;
        }
        // In steps, if there is room for one: other vaults use the budget, too.
        let budget = &self.cache.budget;
        let mut wanted = if self.bytes == 0 { bytes } else { bytes.saturating_add(STEP) };
        let mut fits = budget.exchange(self.bytes, wanted);
        if !fits && wanted > bytes {
            wanted = bytes;
            fits = budget.exchange(0, wanted);
        }
        self.bytes = if fits { wanted } else { 0 };
        if !fits {
            self.cache.refused.store(bytes, Ordering::Relaxed);
        }
        fits
    }

    /// Caches the loaded value, under the same conditions as [`VaultCache::put`].
    pub(crate) fn put(mut self, one: &Arc<T>) {
        self.cache.exchange(&mut self.cache.entry(), one, std::mem::take(&mut self.bytes));
    }
}

impl<T: CacheEntry> Drop for Loading<'_, T> {
    fn drop(&mut self) {
        self.cache.budget.exchange(self.bytes, 0);
        self.cache.loading.store(false, Ordering::Release);
    }
}

impl<T: CacheEntry> Drop for VaultCache<T> {
    fn drop(&mut self) {
        self.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Text(Stamp, &'static str);

    impl CacheEntry for Text {
        fn stamp(&self) -> Stamp {
            self.0
        }

        fn bytes(&self) -> usize {
            self.1.len()
        }
    }

    fn stamp(created: i64, changes: i64) -> Stamp {
        Stamp { created, changes, items: 1 }
    }

    fn text(created: i64, changes: i64, text: &'static str) -> Arc<Text> {
        Arc::new(Text(stamp(created, changes), text))
    }

    #[test]
    fn a_snapshot_is_given_what_is_its_own_or_lacks_new_memories_alone() {
        let cache = VaultCache::new(Arc::new(Budget::new(9)));
        assert_eq!(cache.at(stamp(2, 2)), CacheLookup::Nothing);
        let entry = text(2, 2, "kept");
        cache.put(&entry);
        assert_eq!(cache.at(stamp(2, 2)), CacheLookup::Fresh(Arc::clone(&entry)));
        assert_eq!(cache.at(stamp(3, 2)), CacheLookup::Older(Arc::clone(&entry)));
        assert_eq!(cache.at(stamp(1, 2)), CacheLookup::Unfit);
        assert_eq!(cache.at(stamp(3, 1)), CacheLookup::Unfit);
        assert_eq!(cache.at(stamp(3, 3)), CacheLookup::Nothing);
        assert!(cache.look().is_none(), "what no longer fits is gone");
    }

    #[test]
    fn what_is_older_replaces_nothing_and_what_does_not_fit_is_not_tried_again_before_there_is_room() {
        let budget = Arc::new(Budget::new(9));
        let (one, other) = (VaultCache::new(Arc::clone(&budget)), VaultCache::new(Arc::clone(&budget)));
        one.put(&text(2, 2, "four"));
        one.put(&text(1, 2, "older"));
        assert_eq!(one.look().map(|entry| entry.1), Some("four"));
        assert!(other.is_promising(), "its size is not known yet");
        other.put(&text(1, 1, "sixsix"));
        assert!(other.look().is_none() && !other.is_promising());
        drop(one);
        assert!(other.is_promising());
        other.put(&text(1, 1, "sixsix"));
        assert!(other.look().is_some() && !budget.has_room_for(4) && budget.has_room_for(3));
        other.put(&text(2, 1, "more than nine"));
        assert!(other.look().is_none() && budget.has_room_for(9), "what it was to replace does not stay");
    }
}
