//! The order of turns. Callers take turns, and so do the users of each caller, so a caller with many users delays
//! another caller's call by one call.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use super::super::user::Key;

/// Users with waiting calls.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Callers with waiting users, the next one first.
    callers: VecDeque<Key>,
    /// The waiting users of each caller, the next one first. No list is empty.
    users: HashMap<Key, VecDeque<Key>>,
}

impl Turns {
    /// Adds a user behind the other users of their caller.
    pub(super) fn add(&mut self, caller: Key, user: Key) {
        match self.users.entry(caller) {
            Entry::Occupied(mut users) => users.get_mut().push_back(user),
            Entry::Vacant(new) => {
                new.insert(VecDeque::from([user]));
                self.callers.push_back(caller);
            }
        }
    }

    /// Removes and returns the user whose turn it is.
    pub(super) fn next(&mut self) -> Option<Key> {
        let caller = self.callers.pop_front()?;
        let Entry::Occupied(mut users) = self.users.entry(caller) else { return None };
        let user = users.get_mut().pop_front();
        if users.get().is_empty() {
            users.remove();
        } else {
            self.callers.push_back(caller);
        }
        user
    }

    /// Removes a user who no longer waits.
    pub(super) fn remove(&mut self, caller: Key, user: Key) {
        let Entry::Occupied(mut users) = self.users.entry(caller) else { return };
        users.get_mut().retain(|waiting| *waiting != user);
        if users.get().is_empty() {
            users.remove();
            self.callers.retain(|waiting| *waiting != caller);
        }
    }

    /// Iterates over the callers and their waiting users.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Key, &VecDeque<Key>)> {
        self.users.iter().map(|(caller, users)| (*caller, users))
    }

    /// Returns an upper bound of the calls ahead of the next call of a user who already has `own` calls waiting.
    pub(super) fn in_front(&self, caller: Key, own: usize) -> usize {
        let users = self.users.get(&caller).map_or(0, VecDeque::len);
        let of_caller = own + users * (own + 1);
        let others = self.callers.len() - usize::from(users > 0);
        of_caller + others * (of_caller + 1)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.callers.is_empty() && self.users.is_empty()
    }
}
