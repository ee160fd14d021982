//! Working memory inside the process, used with a data folder. A restart empties it.
//!
//! Its total size is bounded: the least recently used places are evicted.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use kimberly_core::error::Result;
use kimberly_core::ids::UserId;
use kimberly_core::ports::WorkingMemory;
use kimberly_core::time::{Span, Timestamp};
use kimberly_core::working::{WorkingLimits, WorkingOps, WorkingOutcome, WorkingPlace, WorkingStore};

/// Interval between sweeps for expired entries in unused places.
const SWEEP_EVERY: Span = Span::seconds(60);

/// The places of all users.
pub(crate) struct WorkingInProcess {
    limits: WorkingLimits,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    stores: HashMap<WorkingPlace, WorkingStore>,
    bytes: usize,
    swept_at: Timestamp,
}

impl WorkingInProcess {
    pub(crate) fn new(limits: WorkingLimits) -> Self {
        Self { limits, places: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl WorkingMemory for WorkingInProcess {
    async fn run(&self, place: &WorkingPlace, ops: &WorkingOps, now: Timestamp) -> Result<Vec<WorkingOutcome>> {
        let mut places = self.lock();
        places.sweep(now);
        let mut store = places.take(place);
        let done = store.run(ops, self.limits, now);
        store.is_kept();
        places.put(place, store);
        places.make_room(self.limits.total_bytes, place);
        done
    }

    async fn forget(&self, user: &UserId) -> Result<()> {
        let mut places = self.lock();
        places.stores.retain(|place, _| place.user != *user);
        places.bytes = places.stores.values().map(WorkingStore::bytes).sum();
        Ok(())
    }
}

impl Places {
    fn take(&mut self, place: &WorkingPlace) -> WorkingStore {
        let store = self.stores.remove(place).unwrap_or_default();
        self.bytes -= store.bytes();
        store
    }

    fn put(&mut self, place: &WorkingPlace, store: WorkingStore) {
        if !store.is_empty() {
            self.bytes += store.bytes();
            self.stores.insert(place.clone(), store);
        }
    }

    fn sweep(&mut self, now: Timestamp) {
        if now.since(self.swept_at) < SWEEP_EVERY {
            return;
        }
        self.swept_at = now;
        self.stores.retain(|_, store| {
            store.expire(now);
            store.is_kept();
            !store.is_empty()
        });
        self.bytes = self.stores.values().map(WorkingStore::bytes).sum();
    }

    /// Evicts least recently used places, except `but`, until at most `bytes` remain.
    fn make_room(&mut self, bytes: usize, but: &WorkingPlace) {
        while self.bytes > bytes {
            let others = self.stores.iter().filter(|(place, _)| *place != but);
            let oldest = others.min_by_key(|(place, store)| (store.used_at(), *place)).map(|(place, _)| place.clone());
            let Some(oldest) = oldest else { break };
            self.take(&oldest);
        }
    }
}
