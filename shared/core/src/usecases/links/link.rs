//! Links a memory to another.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::add;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::links::{Link, LinkDraft};
use crate::memory::MemoryState;
use crate::ports::VaultTransaction;
use crate::tables::find;
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::idempotency::{self, Key};
use crate::usecases::support::{entry, load};

/// A link to store.
#[derive(Clone, Debug)]
pub struct LinkInput {
    /// The link.
    pub link: LinkDraft,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
}

/// Result of storing a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    /// Whether the link is new.
    pub created: bool,
    /// When the link was first made.
    pub created_at: Timestamp,
}

impl App {
    /// Stores a link between two memories, or overwrites the existing one.
    #[boxed]
    pub async fn link(&self, user: &UserId, input: LinkInput) -> Result<Linked> {
        let now = self.clock.now();
        let key = Arc::new(self.key(&input.request_id, "link.create", &input.link)?);
        let link = Arc::new(input.link.checked("link", now)?);
        let running = self.vaults.transact(user, "link", move |tx| {
            let (key, link) = (Arc::clone(&key), Arc::clone(&link));
            Box::pin(async move { store(tx, (*key).as_ref(), &link, now).await })
        });
        running.await
    }
}

async fn store(tx: &mut dyn VaultTransaction, key: Option<&Key>, link: &Link, now: Timestamp) -> Result<Linked> {
    let context = tx.write_context(key.map(Key::request_id)).await?;
    if let Some(answer) = idempotency::replay(key, context.prior.as_ref())? {
        return Ok(answer);
    }
    for id in [link.from, link.to] {
        may_be_linked(tx, id).await?;
    }
    link.leads_elsewhere("link")?;
    let before: Vec<Link> = find(tx.as_reader(), &Link::named(link.key())).await?;
    let mut link = link.clone();
    if let Some(before) = before.first() {
        (link.created_at, link.verified_at) = (before.created_at, Some(now));
    }
    let linked = Linked { created: before.is_empty(), created_at: link.created_at };
    add(tx, std::slice::from_ref(&link)).await?;
    tx.audit(&entry(now, "link.create", Some(link.from.to_string()), 1)).await?;
    idempotency::remember(key, tx, &linked, now).await?;
    Ok(linked)
}

/// Fails if the memory does not exist, or is deleted.
async fn may_be_linked(tx: &mut dyn VaultTransaction, id: MemoryId) -> Result<()> {
    let memory = load(tx, id).await?;
    if memory.state == MemoryState::Deleted {
        return Err(Error::WrongState { id: id.to_string(), state: memory.state, allowed: "restore it first" });
    }
    Ok(())
}
