//! An in-process cache of graphs: bounded, and valid until the evidence of a vault changes, but only for a short time,
//! because memories also begin and cease to hold as time passes.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Graph;
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::{VaultReader, Vaults};
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

    /// Evicts the graphs that no call can use any more: of more than [`FRESH_FOR`] ago, or of vaults that changed since,
    /// in whichever process. They may name what was erased.
    pub async fn forget_stale(&self, vaults: &Arc<dyn Vaults>, now: Timestamp) {
        for user in self.forget_before(now.minus(FRESH_FOR)) {
            let version = vaults.read(&user, |reader| Box::pin(async move { reader.evidence_version().await })).await;
            // A vault that cannot be read may have been purged.
            let version = version.ok();
            self.lock().retain(|entry| entry.user != user || Some(entry.version) == version);
        }
    }

    /// Evicts the graphs of before a time; returns the users of the others.
    fn forget_before(&self, since: Timestamp) -> BTreeSet<UserId> {
        let mut entries = self.lock();
        entries.retain(|entry| entry.as_of >= since);
        entries.iter().map(|entry| entry.user.clone()).collect()
    }

    /// Reports whether there is a graph of a user.
    pub fn holds(&self, user: &UserId) -> bool {
        self.lock().iter().any(|entry| entry.user == *user)
    }

    /// Evicts all graphs of a user.
    pub fn forget(&self, user: &UserId) {
        self.lock().retain(|entry| entry.user != *user);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
