//! Imports exported links with their times.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::add;
use crate::bounds::MAX_LINK_BATCH;
use crate::boxed;
use crate::error::{Error, FieldViolation, Result};
use crate::ids::{MemoryId, UserId};
use crate::links::{Link, LinkKey};
use crate::ports::VaultTransaction;
use crate::tables::find;
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::support::entry;

/// Counts of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinksImported {
    /// New links.
    pub imported: u64,
    /// Links that existed already. They stay as they are.
    pub known: u64,
    /// Links of memories that do not exist.
    pub missing: u64,
}

impl App {
    /// Stores at most [`MAX_LINK_BATCH`] exported links as they are. A link that exists is left as it is, so importing
    /// twice changes nothing. A link of a memory that does not exist is left out.
    #[boxed]
    pub async fn import_links(&self, user: &UserId, links: Vec<Link>) -> Result<LinksImported> {
        let now = self.clock.now();
        let links = Arc::new(checked(links)?);
        let running = self.vaults.transact(user, "import_links", move |tx| {
            let links = Arc::clone(&links);
            Box::pin(async move { import(tx, &links, now).await })
        });
        running.await
    }
}

fn checked(links: Vec<Link>) -> Result<Vec<Link>> {
    if links.is_empty() || links.len() > MAX_LINK_BATCH {
        let problem = format!("has {} entries; 1-{MAX_LINK_BATCH} are allowed", links.len());
        return Err(Error::invalid("links", problem));
    }
    for (index, link) in links.iter().enumerate() {
        link.leads_elsewhere(&format!("links[{index}]"))?;
    }
    let mut seen = BTreeSet::new();
    let again = |(index, link): (usize, &Link)| {
        (!seen.insert(link.key()))
            .then(|| FieldViolation::new(format!("links[{index}]"), "is in the list twice; send each one once"))
    };
    let violations: Vec<_> = links.iter().enumerate().filter_map(again).collect();
    if violations.is_empty() { Ok(links) } else { Err(Error::Invalid(violations)) }
}

async fn import(tx: &mut dyn VaultTransaction, links: &[Link], now: Timestamp) -> Result<LinksImported> {
    let ends: Vec<MemoryId> =
        links.iter().flat_map(|link| [link.from, link.to]).collect::<BTreeSet<_>>().into_iter().collect();
    let facts = tx.row_facts(&ends).await?;
    let there: BTreeSet<MemoryId> =
        ends.iter().zip(facts).filter(|(_, facts)| facts.is_some()).map(|(id, _)| *id).collect();
    let mut result = LinksImported::default();
    let mut new = Vec::new();
    for link in links {
        if !there.contains(&link.from) || !there.contains(&link.to) {
            result.missing += 1;
        } else if is_known(tx, link.key()).await? {
            result.known += 1;
        } else {
            new.push(link.clone());
        }
    }
    if !new.is_empty() {
        result.imported = new.len() as u64;
        add(tx, &new).await?;
        tx.audit(&entry(now, "link.import", None, result.imported)).await?;
    }
    Ok(result)
}

async fn is_known(tx: &mut dyn VaultTransaction, key: LinkKey) -> Result<bool> {
    Ok(!find::<Link>(tx.as_reader(), &Link::named(key).with_withheld()).await?.is_empty())
}
