//! An in-process cache of document indexes: bounded, and valid until a document is read again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Index;
use crate::ids::{MemoryId, UserId};
use crate::time::Timestamp;

/// Most bytes of all entries together.
const MOST_BYTES: usize = 64 << 20;
/// Approximate size of an entry besides its index, in bytes.
const OVERHEAD: usize = 200;

struct Entry {
    read_at: Timestamp,
    used: u64,
    index: Arc<Index>,
}

#[derive(Default)]
struct Entries {
    ticks: u64,
    bytes: usize,
    by_document: HashMap<(UserId, MemoryId), Entry>,
}

/// Cached indexes by user and document. Clones share the entries. Callers who reach only some memories may share it
/// too, since they request only documents that they see.
#[derive(Clone, Default)]
pub struct DocumentCache(Arc<Mutex<Entries>>);

impl DocumentCache {
    /// Returns the index of a document that was read at `read_at`, if cached.
    pub fn get(&self, user: &UserId, document: MemoryId, read_at: Timestamp) -> Option<Arc<Index>> {
        let mut entries = self.lock();
        entries.ticks += 1;
        let now = entries.ticks;
        let entry = entries.by_document.get_mut(&(user.clone(), document))?;
        (entry.read_at == read_at).then(|| {
            entry.used = now;
            Arc::clone(&entry.index)
        })
    }

    /// Caches the index of a document; evicts the least recently used entries above the limit.
    pub fn put(&self, user: &UserId, document: MemoryId, read_at: Timestamp, index: Arc<Index>) {
        let mut entries = self.lock();
        entries.ticks += 1;
        let (now, bytes) = (entries.ticks, size(&index));
        let before = entries.by_document.insert((user.clone(), document), Entry { read_at, used: now, index });
        entries.bytes += bytes;
        entries.bytes -= before.map_or(0, |entry| size(&entry.index));
        while entries.bytes > MOST_BYTES {
            let oldest = entries.by_document.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(gone) = oldest.and_then(|key| entries.by_document.remove(&key)) else { break };
            entries.bytes -= size(&gone.index);
        }
    }

    /// Evicts all entries of a user.
    pub fn forget(&self, user: &UserId) {
        let mut entries = self.lock();
        let Entries { bytes, by_document, .. } = &mut *entries;
        by_document.retain(|(of, _), entry| {
            let stays = of != user;
            *bytes -= if stays { 0 } else { size(&entry.index) };
            stays
        });
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(index: &Index) -> usize {
    index.bytes() + OVERHEAD
}
