//! Lists pairs of memories that are valid now but contradict each other.

use std::collections::HashMap;
use std::sync::Arc;

use crate::bounds::MAX_PAGE_BYTES;
use crate::boxed;
use crate::error::Result;
use crate::ids::{MemoryId, UserId};
use crate::links::{Link, LinkKey, Relation};
use crate::memory::{Memory, MemoryState, SourceType};
use crate::ports::VaultReader;
use crate::tables::{RowQuery, TableRow as _, find};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::page::{PageRequest, fit};

/// Two memories that cannot both be true.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    /// The link that states it.
    pub link: Link,
    /// The memory that the link starts from.
    pub from: Memory,
    /// The memory that the link leads to.
    pub to: Memory,
}

/// A page of contradictions.
#[derive(Clone, Debug, PartialEq)]
pub struct ContradictionPage {
    /// The contradictions.
    pub contradictions: Vec<Contradiction>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

impl App {
    /// Returns a page of contradictions between memories that are active and hold now, except those resolved by keeping
    /// both, in the order of their links' keys. A page ends before about 1 MiB, but has at least one entry.
    #[boxed]
    pub async fn list_contradictions(&self, user: &UserId, page: PageRequest) -> Result<ContradictionPage> {
        let limit = page.limit()?;
        let scope = self.scope_of_memories("link.contradictions", user, &())?;
        let mut query = open(self.clock.now());
        if let Some((from, relation, to)) = scope.key::<LinkKey>(&page.token)? {
            query = query.behind(vec![from.into(), relation.name().into(), to.into()]);
        }
        let query = Arc::new(query.at_most(limit + 1));
        let running = self.vaults.read(user, move |reader| {
            let query = Arc::clone(&query);
            Box::pin(async move { read(reader, &query).await })
        });
        let mut found = running.await?;
        let fits = fit(found.iter().map(|one| one.from.size_bytes + one.to.size_bytes), MAX_PAGE_BYTES).min(limit);
        let more = found.len() > fits;
        found.truncate(fits);
        let next = match found.last().filter(|_| more) {
            Some(last) => scope.token(&last.link.key())?,
            None => String::new(),
        };
        Ok(ContradictionPage { contradictions: found, next })
    }
}

/// Queries contradictions that are still to be resolved.
pub(in crate::usecases) fn open(now: Timestamp) -> RowQuery {
    let sources = SourceType::ALL.iter().filter(|source| **source != SourceType::UserResolved).map(|one| one.name());
    let mut query = Link::query().is("relation", Relation::Contradicts.name()).among(&["source"], sources);
    query.memories.states = vec![MemoryState::Active];
    query.memories.valid_at = Some(now);
    query
}

/// Returns the contradictions that a query finds.
pub(in crate::usecases) async fn read(reader: &mut dyn VaultReader, query: &RowQuery) -> Result<Vec<Contradiction>> {
    let links: Vec<Link> = find(reader, query).await?;
    let ids: Vec<MemoryId> = links.iter().flat_map(|link| [link.from, link.to]).collect();
    let seqs: Vec<_> = reader.seqs(&ids).await?.into_iter().map(|(_, seq)| seq).collect();
    let memories = reader.memories(&seqs).await?.into_iter().map(|memory| (memory.id, memory));
    let memories: HashMap<MemoryId, Memory> = memories.collect();
    let of = |link: Link| {
        let (from, to) = (memories.get(&link.from)?.clone(), memories.get(&link.to)?.clone());
        Some(Contradiction { link, from, to })
    };
    Ok(links.into_iter().filter_map(of).collect())
}
