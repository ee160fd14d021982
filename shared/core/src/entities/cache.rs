//! An in-process cache of graphs: bounded, and valid until the evidence of a vault changes, but only for a short time,
//! because memories also begin and cease to hold as time passes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Graph;
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::VaultReader;
use crate::time::{Span, Timestamp};

/// How long a graph counts as of the present.
pub const FRESH_FOR: Span = Span::seconds(60);
/// Most mentions of all graphs together, at about 160 bytes each.
const MOST: usize = 400_000;

struct Entry {
    user: UserId,
    namespaces: Vec<String>,
    version: u64,
    as_of: Timestamp,
    graph: Arc<Graph>,
}

/// Cached graphs by user and namespaces. Clones share the entries, so only callers who see the same memories may share
/// a cache.
#[derive(Clone, Default)]
pub struct GraphCache(Arc<Mutex<Vec<Entry>>>);

impl GraphCache {
    /// Returns the graph of some namespaces, or of all, with the time that it is of: `now`, or for a cached one a time
    /// from `since` on.
    pub async fn load(
        &self,
        reader: &mut dyn VaultReader,
        (user, namespaces): (&UserId, &[String]),
        (since, now): (Timestamp, Timestamp),
    ) -> Result<(Timestamp, Arc<Graph>)> {
        let version = reader.evidence_version().await?;
        if let Some(known) = self.get((user, namespaces), version, (since, now)) {
            return Ok(known);
        }
        let graph = Arc::new(Graph::load(reader, namespaces, now).await?);
        let (user, namespaces) = (user.clone(), namespaces.to_vec());
        self.put(Entry { user, namespaces, version, as_of: now, graph: Arc::clone(&graph) });
        Ok((now, graph))
    }

    fn get(
        &self,
        (user, namespaces): (&UserId, &[String]),
        version: u64,
        (since, now): (Timestamp, Timestamp),
    ) -> Option<(Timestamp, Arc<Graph>)> {
        let entries = self.lock();
        let fits = |entry: &&Entry| {
            let of = entry.user == *user && entry.namespaces == namespaces && entry.version == version;
            of && (since..=now).contains(&entry.as_of)
        };
        entries.iter().find(fits).map(|entry| (entry.as_of, Arc::clone(&entry.graph)))
    }

    /// Caches a graph instead of the user's graphs of other versions; evicts the oldest ones above the limit.
    fn put(&self, new: Entry) {
        let mut entries = self.lock();
        entries.retain(|entry| {
            entry.user != new.user || (entry.version == new.version && entry.namespaces != new.namespaces)
        });
        entries.push(new);
        let mut mentions: usize = entries.iter().map(|entry| entry.graph.mentions.len()).sum();
        while mentions > MOST {
            mentions -= entries.remove(0).graph.mentions.len();
        }
    }

    /// Evicts all graphs of a user.
    pub fn forget(&self, user: &UserId) {
        self.lock().retain(|entry| entry.user != *user);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
