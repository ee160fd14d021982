//! Lists memories in a fixed order, page by page.

use std::sync::Arc;

use super::App;
use super::get_memory::warmth_of;
use super::page::PageRequest;
use super::past::as_known;
use crate::bounds::MAX_PAGE_BYTES;
use crate::boxed;
use crate::error::Result;
use crate::ids::UserId;
use crate::memory::{ListOrder, Memory, MemoryFilter};
use crate::ports::{ListKey, VaultReader};
use crate::retention::Warmth;
use crate::tagging::with_auto_tags;

/// The memories to list, their order, and the page.
#[derive(Clone, Debug, Default)]
pub struct ListInput {
    /// Restricts the memories.
    pub filter: MemoryFilter,
    /// The order, by creation time and then by sequence number.
    pub order: ListOrder,
    /// The page.
    pub page: PageRequest,
    /// Whether to return the warmth of each memory.
    pub with_warmth: bool,
}

/// A page of memories.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryPage {
    /// The memories.
    pub memories: Vec<Memory>,
    /// Their warmth, in the same order; empty unless requested, or if meditations do not note it.
    pub warmth: Vec<Warmth>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

impl App {
    /// Returns a page of memories: at most the requested number and about 1 MiB, but at least one if there is any.
    /// Memories written while a caller pages may or may not appear, but none that stays is missed or repeated.
    #[boxed]
    pub async fn list_memories(&self, user: &UserId, input: ListInput) -> Result<MemoryPage> {
        input.filter.check()?;
        let limit = input.page.limit()?;
        let scope = self.scope_of_memories("memory.list", user, &(&input.filter, input.order))?;
        let after: Option<ListKey> = scope.key(&input.page.token)?;
        let (now, defaults) = (self.clock.now(), Arc::clone(&self.defaults));
        let filter = Arc::new(input.filter.holding(now));
        let (order, with_warmth) = (input.order, input.with_warmth);
        let read = self.vaults.read(user, move |reader| {
            let (filter, defaults) = (Arc::clone(&filter), Arc::clone(&defaults));
            Box::pin(async move {
                let (memories, more) = read_page(reader, &filter, order, after, limit).await?;
                let asked: &[Memory] = if with_warmth { &memories } else { &[] };
                let warmth = warmth_of(reader, asked, (&defaults, now)).await?;
                Ok((memories, warmth, more))
            })
        });
        let (memories, warmth, more) = read.await?;
        let next = match memories.last().filter(|_| more) {
            Some(last) => scope.token(&key_of(last))?,
            None => String::new(),
        };
        Ok(MemoryPage { memories, warmth, next })
    }
}

/// Reads a page, and whether more follow. A page may end early because of its bytes, so only another read tells.
async fn read_page(
    reader: &mut dyn VaultReader,
    filter: &MemoryFilter,
    order: ListOrder,
    after: Option<ListKey>,
    limit: usize,
) -> Result<(Vec<Memory>, bool)> {
    let mut memories = reader.list(filter, order, after, limit, MAX_PAGE_BYTES).await?;
    with_auto_tags(reader, memories.iter_mut().collect()).await?;
    let fit = as_known(reader, filter.known_as_of, memories.iter_mut().collect(), MAX_PAGE_BYTES).await?;
    if fit < memories.len() {
        memories.truncate(fit);
        return Ok((memories, true));
    }
    let more = match memories.last() {
        Some(last) => !reader.list(filter, order, Some(key_of(last)), 1, 1).await?.is_empty(),
        None => false,
    };
    Ok((memories, more))
}

fn key_of(memory: &Memory) -> ListKey {
    ListKey { created_at: memory.created_at, seq: memory.seq }
}
