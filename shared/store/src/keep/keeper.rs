//! One thing kept of a vault, shared by its readers, within the bound on what is kept of all vaults.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Budget, Stamp};

/// What can be kept.
pub(crate) trait Keep {
    /// The state of the vault that it is of.
    fn stamp(&self) -> Stamp;
    /// Bytes in memory, about.
    fn bytes(&self) -> usize;
}

/// What one read knows of something that is kept.
#[derive(Default)]
pub(crate) enum Seen<T> {
    /// It did not look yet.
    #[default]
    Unknown,
    /// This is that of its snapshot.
    Fit(Arc<T>),
    /// There is none for its snapshot: SQL has to do.
    Unfit,
}

impl<T> Seen<T> {
    /// What was found, or that there is none.
    pub(crate) fn of(found: Option<Arc<T>>) -> Self {
        found.map_or(Self::Unfit, Self::Fit)
    }

    /// That of the snapshot, if there is one.
    pub(crate) fn fit(&self) -> Option<Arc<T>> {
        match self {
            Self::Fit(fit) => Some(Arc::clone(fit)),
            Self::Unknown | Self::Unfit => None,
        }
    }
}

/// What there is for a snapshot.
#[derive(Debug, PartialEq)]
pub(crate) enum Kept<T> {
    /// Just that.
    Fresh(Arc<T>),
    /// What lacks nothing but memories with a higher number than were created then.
    Older(Arc<T>),
    /// Nothing of use.
    Nothing,
    /// Something newer, which this snapshot must not see.
    Unfit,
}

/// Holds one, or none. Gone with the open vault.
pub(crate) struct Keeper<T: Keep> {
    kept: Mutex<Option<Arc<T>>>,
    /// Bytes for which there was no room last.
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

    /// Whether it makes sense to look here, or to make what can be kept: there is something, or room for it as far as is known.
    pub(crate) fn is_promising(&self) -> bool {
        self.kept().is_some() || self.budget.has_room_for(self.refused.load(Ordering::Relaxed).max(1))
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

    /// What is kept for a snapshot. What will be of no use to any goes, as it may hold words that were erased since.
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

    /// Keeps something, unless something newer is kept or there is no room.
    pub(crate) fn keep(&self, one: &Arc<T>) {
        let mut kept = self.kept();
        if kept.as_ref().is_some_and(|have| have.stamp().is_beyond(one.stamp())) {
            return;
        }
        let (old, new) = (kept.as_ref().map_or(0, |have| have.bytes()), one.bytes());
        // What is not kept must not stay either: it may hold words that were erased since.
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
        assert!(keeper.look().is_none(), "what nobody can use any more is gone");
    }

    #[test]
    fn what_is_older_replaces_nothing_and_what_does_not_fit_is_not_tried_again_before_there_is_room() {
        let budget = Arc::new(Budget::new(9));
        let (one, other) = (Keeper::new(Arc::clone(&budget)), Keeper::new(Arc::clone(&budget)));
        one.keep(&text(2, 2, "four"));
        one.keep(&text(1, 2, "older"));
        assert_eq!(one.look().map(|kept| kept.1), Some("four"));
        assert!(other.is_promising(), "nobody knows yet how much it takes");
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
