//! A cache of one value per vault, shared by the vault's readers and limited by the budget of all vaults.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Budget, Stamp};

/// A value that can be cached.
pub(crate) trait Keep {
    /// The vault state that the value was derived from.
    fn stamp(&self) -> Stamp;
    /// Approximate size in bytes.
    fn bytes(&self) -> usize;
}

/// What one read transaction knows about the cached value.
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
pub(crate) enum Kept<T> {
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
pub(crate) struct Keeper<T: Keep> {
    kept: Mutex<Option<Arc<T>>>,
    /// Size of the last value that did not fit the budget, in bytes.
    refused: AtomicUsize,
    budget: Arc<Budget>,
}

impl<T: Keep> Keeper<T> {
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self { kept: Mutex::new(None), refused: AtomicUsize::new(0), budget }
    }

    fn kept(&self) -> MutexGuard<'_, Option<Arc<T>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports whether a lookup or building a value is worthwhile: a value is cached, or the budget probably has room
    /// for one.
    pub(crate) fn is_promising(&self) -> bool {
        self.kept().is_some() || self.budget.has_room_for(self.refused.load(Ordering::Relaxed).max(1))
    }

    /// Evicts the value.
    pub(crate) fn forget(&self) {
        if let Some(kept) = self.kept().take() {
            self.budget.exchange(kept.bytes(), 0);
        }
    }

    /// Returns the cached value, whatever its stamp.
    pub(crate) fn look(&self) -> Option<Arc<T>> {
        self.kept().clone()
    }

    /// Looks up the value for a snapshot. Evicts a value that no snapshot can use any more: it may contain erased text.
    pub(crate) fn at(&self, stamp: Stamp) -> Kept<T> {
        let Some(kept) = self.look() else { return Kept::Nothing };
        let has = kept.stamp();
        if has == stamp {
            Kept::Fresh(kept)
        } else if has.is_beyond(stamp) {
            Kept::Unfit
        } else if has.changes == stamp.changes {
            Kept::Older(kept)
        } else {
            self.forget();
            Kept::Nothing
        }
    }

    /// Caches a value, unless a newer one is cached or the budget is full.
    pub(crate) fn keep(&self, one: &Arc<T>) {
        let mut kept = self.kept();
        if kept.as_ref().is_some_and(|have| have.stamp().is_beyond(one.stamp())) {
            return;
        }
        let (old, new) = (kept.as_ref().map_or(0, |have| have.bytes()), one.bytes());
        // If the new value does not fit, the old one goes too: it may contain erased text.
        *kept = self.budget.exchange(old, new).then(|| Arc::clone(one));
        self.refused.store(if kept.is_some() { 0 } else { new }, Ordering::Relaxed);
    }
}

impl<T: Keep> Drop for Keeper<T> {
    fn drop(&mut self) {
        self.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Text(Stamp, &'static str);

    impl Keep for Text {
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
        let keeper = Keeper::new(Arc::new(Budget::new(9)));
        assert_eq!(keeper.at(stamp(2, 2)), Kept::Nothing);
        let kept = text(2, 2, "kept");
        keeper.keep(&kept);
        assert_eq!(keeper.at(stamp(2, 2)), Kept::Fresh(Arc::clone(&kept)));
        assert_eq!(keeper.at(stamp(3, 2)), Kept::Older(Arc::clone(&kept)));
        assert_eq!(keeper.at(stamp(1, 2)), Kept::Unfit);
        assert_eq!(keeper.at(stamp(3, 1)), Kept::Unfit);
        assert_eq!(keeper.at(stamp(3, 3)), Kept::Nothing);
        assert!(keeper.look().is_none(), "what no longer fits is gone");
    }

    #[test]
    fn what_is_older_replaces_nothing_and_what_does_not_fit_is_not_tried_again_before_there_is_room() {
        let budget = Arc::new(Budget::new(9));
        let (one, other) = (Keeper::new(Arc::clone(&budget)), Keeper::new(Arc::clone(&budget)));
        one.keep(&text(2, 2, "four"));
        one.keep(&text(1, 2, "older"));
        assert_eq!(one.look().map(|kept| kept.1), Some("four"));
        assert!(other.is_promising(), "its size is not known yet");
        other.keep(&text(1, 1, "sixsix"));
        assert!(other.look().is_none() && !other.is_promising());
        drop(one);
        assert!(other.is_promising());
        other.keep(&text(1, 1, "sixsix"));
        assert!(other.look().is_some() && !budget.has_room_for(4) && budget.has_room_for(3));
        other.keep(&text(2, 1, "more than nine"));
        assert!(other.look().is_none() && budget.has_room_for(9), "what it was to replace does not stay");
    }
}
