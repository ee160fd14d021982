//! Short-term memories of sessions that are going on, kept in the process (K-1.1).
//!
//! An agent asks again and again during one session, and the same few memories come first each time: keeping them, with
//! their stems, saves listing and stemming them for every query. An entry holds for one version of the vault, so that a
//! write anywhere is seen at once; the cache is small, bounded, and may be lost at any time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::ids::UserId;
use crate::memory::Memory;

/// Most sessions kept.
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

/// Short-term memories by user and session. Cheap to clone: clones share what they hold.
#[derive(Clone, Default)]
pub struct SessionCache(Arc<Mutex<Entries>>);

impl SessionCache {
    /// What is kept of a session, if nothing was written to the vault since.
    pub fn get(&self, user: &UserId, session: &str, version: u64) -> Option<Arc<[SessionMemory]>> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.ticks += 1;
        let now = entries.ticks;
        let entry = entries.by_session.get_mut(&(user.clone(), session.to_owned()))?;
        (entry.version == version).then(|| {
            entry.used = now;
            Arc::clone(&entry.memories)
        })
    }

    /// Keeps a session as read at `version`; forgets the session unused for longest when there are too many.
    pub fn put(&self, user: &UserId, session: &str, version: u64, memories: Arc<[SessionMemory]>) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Drops every session of a user.
    pub fn forget(&self, user: &UserId) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.by_session.retain(|(of, _), _| of != user);
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
