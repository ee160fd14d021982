//! Bounds on open streams: in total and per user.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

use super::user::Key;

/// The open streams. Cheap to clone; clones share their state.
#[derive(Clone, Debug)]
pub(super) struct Streams {
    most: usize,
    most_per_user: usize,
    served: Arc<Mutex<Served>>,
}

#[derive(Debug, Default)]
struct Served {
    all: usize,
    users: HashMap<Key, usize>,
}

/// A permit for a stream, freed on drop.
#[derive(Debug)]
pub(crate) struct StreamPermit {
    user: Key,
    served: Arc<Mutex<Served>>,
}

impl Streams {
    pub(super) fn new(most: usize, most_per_user: usize) -> Self {
        Self { most, most_per_user, served: Arc::default() }
    }

    /// Acquires a permit, unless none is left or the user has reached their bound.
    pub(super) fn take(&self, user: Key) -> Option<StreamPermit> {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        let of_user = served.users.get(&user).copied().unwrap_or(0);
        if served.all >= self.most || of_user >= self.most_per_user {
            return None;
        }
        served.all += 1;
        served.users.insert(user, of_user + 1);
        Some(StreamPermit { user, served: Arc::clone(&self.served) })
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        served.all = served.all.saturating_sub(1);
        if let Entry::Occupied(mut of_user) = served.users.entry(self.user) {
            match of_user.get().checked_sub(1) {
                Some(left) if left > 0 => *of_user.get_mut() = left,
                _ => drop(of_user.remove()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_bounded_in_total_and_per_user_and_release_their_permits() {
        let streams = Streams::new(3, 2);
        let first = streams.take(1).unwrap();
        let _second = streams.take(1).unwrap();
        assert!(streams.take(1).is_none(), "the user has two already");
        let third = streams.take(2).unwrap();
        assert!(streams.take(3).is_none(), "all places are taken");
        drop(first);
        let _again = streams.take(1).unwrap();
        drop(third);
        assert_eq!(streams.served.lock().unwrap().users.len(), 1, "nothing is kept of users without streams");
    }
}
