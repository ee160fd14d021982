//! Lists links, of one memory or of all.

use std::sync::Arc;

use super::relations;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::links::{Direction, Link, LinkKey, Relation};
use crate::tables::{TableRow as _, find};
use crate::usecases::App;
use crate::usecases::page::PageRequest;

/// The links to list, and the page.
#[derive(Clone, Debug, Default)]
pub struct ListLinksInput {
    /// Only links of this memory; `None` for those of all.
    pub id: Option<MemoryId>,
    /// Direction of the links, seen from the memory.
    pub direction: Direction,
    /// Only links with these relations; empty for all.
    pub relations: Vec<Relation>,
    /// Whether to include links of withheld memories; has no effect for a caller who reaches only some memories.
    pub withheld: bool,
    /// The page.
    pub page: PageRequest,
}

/// A page of links.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPage {
    /// The links.
    pub links: Vec<Link>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

impl App {
    /// Returns a page of links, in the order of their keys.
    #[boxed]
    pub async fn list_links(&self, user: &UserId, input: ListLinksInput) -> Result<LinkPage> {
        let limit = input.page.limit()?;
        if input.id.is_none() && input.direction != Direction::Both {
            return Err(Error::invalid("direction", "is set without `id`; name the memory, or omit it"));
        }
        let relations = relations(&input.relations)?;
        let selection = (input.id, input.direction, &relations, input.withheld);
        let scope = self.scope_of_memories("link.list", user, &selection)?;
        let after: Option<LinkKey> = scope.key(&input.page.token)?;
        let mut query = input.id.map_or_else(Link::query, |id| Link::of([id], input.direction));
        if !relations.is_empty() {
            query = query.among(&["relation"], relations.iter().map(|relation| relation.name()));
        }
        if let Some((from, relation, to)) = after {
            query = query.behind(vec![from.into(), relation.name().into(), to.into()]);
        }
        if input.withheld && !self.is_limited() {
            query = query.with_withheld();
        }
        let (query, id) = (Arc::new(query.at_most(limit + 1)), input.id);
        let running = self.vaults.read(user, move |reader| {
            let query = Arc::clone(&query);
            Box::pin(async move {
                if let Some(id) = id
                    && !query.memories.withheld
                    && reader.seqs(&[id]).await?.is_empty()
                {
                    return Err(Error::memory_not_found(id));
                }
                find::<Link>(reader, &query).await
            })
        });
        let mut links = running.await?;
        let more = links.len() > limit;
        links.truncate(limit);
        let next = match links.last().filter(|_| more) {
            Some(last) => scope.token(&last.key())?,
            None => String::new(),
        };
        Ok(LinkPage { links, next })
    }
}
