//! A cache of the short-term memories of active sessions (K-1.1).
//!
//! An agent sends many queries during one session, and the same few memories come first each time. Caching them with
//! their stems saves listing and stemming them for every query. An entry is valid for one version of the vault, so that
//! any write is seen at once. The cache is small and bounded, and may be lost at any time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ids::UserId;
use crate::memory::Memory;

/// Most sessions in the cache.
const MAX_SESSIONS: usize = 256;

/// One short-term memory with the stems of its words, sorted.
#[derive(Clone, Debug)]
pub struct SessionMemory {
    /// The memory.
    pub memory: Memory,
    /// Its stems, sorted, each once.
    pub stems: Vec<String>,
}

struct Entry {
    version: u64,
    used: u64,
    memories: Arc<[SessionMemory]>,
}

#[derive(Default)]
struct Entries {
    ticks: u64,
    by_session: HashMap<(UserId, String), Entry>,
}

/// The cache, by user and session. Cheap to clone; clones share their entries.
#[derive(Clone, Default)]
pub struct SessionCache {
    entries: Arc<Mutex<Entries>>,
    unread: bool,
}

impl SessionCache {
    /// Returns a handle that neither reads nor adds entries, for callers who see only some memories. Evictions through
    /// it still affect all handles.
    #[must_use]
    pub fn unread(self) -> Self {
        Self { unread: true, ..self }
    }

    /// Returns the cached memories of a session, if nothing was written to the vault since.
    pub fn get(&self, user: &UserId, session: &str, version: u64) -> Option<Arc<[SessionMemory]>> {
        if self.unread {
            return None;
        }
        let mut entries = self.lock();
        entries.ticks += 1;
        let now = entries.ticks;
        let entry = entries.by_session.get_mut(&(user.clone(), session.to_owned()))?;
        (entry.version == version).then(|| {
            entry.used = now;
            Arc::clone(&entry.memories)
        })
    }

    /// Caches a session as read at `version`. Evicts the least recently used session if there are too many.
    pub fn put(&self, user: &UserId, session: &str, version: u64, memories: Arc<[SessionMemory]>) {
        if self.unread {
            return;
        }
        let mut entries = self.lock();
        entries.ticks += 1;
        let entry = Entry { version, used: entries.ticks, memories };
        entries.by_session.insert((user.clone(), session.to_owned()), entry);
        if entries.by_session.len() > MAX_SESSIONS {
            let oldest = entries.by_session.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            if let Some(key) = oldest {
                entries.by_session.remove(&key);
            }
        }
    }

    /// Evicts all sessions of a user.
    pub fn forget(&self, user: &UserId) {
        self.lock().by_session.retain(|(of, _), _| of != user);
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_of_another_version_is_not_served() {
        let (cache, user) = (SessionCache::default(), UserId::parse("ann").expect("a user id"));
        cache.put(&user, "s", 7, Arc::from([]));
        assert!(cache.get(&user, "s", 7).is_some());
        assert!(cache.get(&user, "s", 8).is_none());
        assert!(cache.get(&UserId::parse("bob").expect("a user id"), "s", 7).is_none());
    }

    #[test]
    fn who_shares_no_memories_reads_and_adds_nothing_and_forgets_for_all() {
        let (cache, user) = (SessionCache::default(), UserId::parse("ann").expect("a user id"));
        let unread = cache.clone().unread();
        cache.put(&user, "s", 7, Arc::from([]));
        unread.put(&user, "t", 7, Arc::from([]));
        assert!(unread.get(&user, "s", 7).is_none() && cache.get(&user, "t", 7).is_none());
        unread.forget(&user);
        assert!(cache.get(&user, "s", 7).is_none());
    }

    #[test]
    fn session_unused_for_longest_is_forgotten_first() {
        let (cache, user) = (SessionCache::default(), UserId::parse("ann").expect("a user id"));
        for n in 0..MAX_SESSIONS {
            cache.put(&user, &n.to_string(), 1, Arc::from([]));
        }
        assert!(cache.get(&user, "0", 1).is_some(), "used again");
        cache.put(&user, "new", 1, Arc::from([]));
        assert!(cache.get(&user, "0", 1).is_some() && cache.get(&user, "new", 1).is_some());
        assert!(cache.get(&user, "1", 1).is_none());
    }
}
