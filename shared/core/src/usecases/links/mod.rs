//! Links between memories: one file per operation.

mod contradictions;
mod import;
mod lineage;
mod link;
mod list;
mod resolve;
mod unlink;

pub use contradictions::{Contradiction, ContradictionPage};
pub(super) use contradictions::{open, read as read_contradictions};
pub use import::LinksImported;
pub use lineage::LineageInput;
pub use link::{LinkInput, Linked};
pub use list::{LinkPage, ListLinksInput};
pub(super) use resolve::keep_both;
pub(crate) use resolve::supersede;
pub use resolve::{Resolution, ResolveInput, Resolved};
pub use unlink::{UnlinkInput, Unlinked};

use std::collections::BTreeSet;

use crate::bounds::MAX_LINKS_PER_MEMORY;
use crate::error::{Error, Result};
use crate::ids::MemoryId;
use crate::links::{Direction, Link, Relation};
use crate::ports::VaultTransaction;
use crate::tables::{count, put};

/// Stores new links between existing memories. Fails if a memory would have too many.
pub(crate) async fn add(tx: &mut dyn VaultTransaction, links: &[Link]) -> Result<()> {
    put(tx, links).await?;
    let ends: BTreeSet<MemoryId> = links.iter().flat_map(|link| [link.from, link.to]).collect();
    for id in ends {
        let all = count(tx.as_reader(), &Link::of([id], Direction::Both).with_withheld()).await?;
        if all > MAX_LINKS_PER_MEMORY as u64 {
            return Err(Error::LimitReached { what: "links of a memory", limit: MAX_LINKS_PER_MEMORY });
        }
    }
    Ok(())
}

/// Returns the relations to look for, each once; empty for all.
fn relations(named: &[Relation]) -> Result<Vec<Relation>> {
    if named.len() > Relation::ALL.len() {
        let problem = format!("has {} entries; at most {} are allowed", named.len(), Relation::ALL.len());
        return Err(Error::invalid("relations", problem));
    }
    Ok(named.iter().copied().collect::<BTreeSet<_>>().into_iter().collect())
}
