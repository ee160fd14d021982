//! Working memory inside the process, used with a data folder. A restart empties it.
//!
//! Its total size is bounded: the least recently used keyspaces are evicted.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use kimberly_core::error::Result;
use kimberly_core::ids::UserId;
use kimberly_core::ports::WorkingMemory;
use kimberly_core::time::{Span, Timestamp};
use kimberly_core::working::{Keyspace, WorkingLimits, WorkingOps, WorkingOutcome, WorkingStore};

/// Interval between sweeps for expired entries in unused keyspaces.
const SWEEP_EVERY: Span = Span::seconds(60);

/// The keyspaces of all users.
pub(crate) struct WorkingInProcess {
    limits: WorkingLimits,
    keyspaces: Mutex<Keyspaces>,
}

#[derive(Default)]
struct Keyspaces {
    stores: HashMap<Keyspace, WorkingStore>,
    bytes: usize,
    swept_at: Timestamp,
}

impl WorkingInProcess {
    pub(crate) fn new(limits: WorkingLimits) -> Self {
        Self { limits, keyspaces: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Keyspaces> {
        self.keyspaces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl WorkingMemory for WorkingInProcess {
    async fn run(&self, keyspace: &Keyspace, ops: &WorkingOps, now: Timestamp) -> Result<Vec<WorkingOutcome>> {
        let mut keyspaces = self.lock();
        keyspaces.sweep(now);
        let mut store = keyspaces.take(keyspace);
        let done = store.run(ops, self.limits, now);
        store.clear_changes();
        keyspaces.put(keyspace, store);
        keyspaces.make_room(self.limits.total_bytes, keyspace);
        done
    }

    async fn forget(&self, user: &UserId) -> Result<()> {
        let mut keyspaces = self.lock();
        keyspaces.stores.retain(|keyspace, _| keyspace.user != *user);
        keyspaces.bytes = keyspaces.stores.values().map(WorkingStore::bytes).sum();
        Ok(())
    }
}

impl Keyspaces {
    fn take(&mut self, keyspace: &Keyspace) -> WorkingStore {
        let store = self.stores.remove(keyspace).unwrap_or_default();
        self.bytes -= store.bytes();
        store
    }

    fn put(&mut self, keyspace: &Keyspace, store: WorkingStore) {
        if !store.is_empty() {
            self.bytes += store.bytes();
            self.stores.insert(keyspace.clone(), store);
        }
    }

    fn sweep(&mut self, now: Timestamp) {
        if now.since(self.swept_at) < SWEEP_EVERY {
            return;
        }
        self.swept_at = now;
        self.stores.retain(|_, store| {
            store.expire(now);
            store.clear_changes();
            !store.is_empty()
        });
        self.bytes = self.stores.values().map(WorkingStore::bytes).sum();
    }

    /// Evicts least recently used keyspaces, except `but`, until at most `bytes` remain.
    fn make_room(&mut self, bytes: usize, but: &Keyspace) {
        while self.bytes > bytes {
            let others = self.stores.iter().filter(|(keyspace, _)| *keyspace != but);
            let oldest = others
                .min_by_key(|(keyspace, store)| (store.used_at(), *keyspace))
                .map(|(keyspace, _)| keyspace.clone());
            let Some(oldest) = oldest else { break };
            self.take(&oldest);
        }
    }
}
