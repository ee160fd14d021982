//! Lists captures that nothing is derived from yet, oldest first. Nothing marks a capture as processed: the links say
//! it, so forgetting what was derived makes a capture unprocessed again.

use std::collections::HashSet;
use std::sync::Arc;

use super::App;
use super::page::{fitting, limit};
use crate::bounds::{DEFAULT_UNPROCESSED, MAX_PAGE_BYTES, MAX_PAGE_SIZE};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::links::{Direction, Link, Relation};
use crate::memory::{ListOrder, Memory, MemoryFilter, MemoryState, RecordKind};
use crate::ports::{ListKey, VaultReader};
use crate::tables::find;
use crate::time::Timestamp;

/// The captures to list, and their maximum number.
#[derive(Clone, Debug, Default)]
pub struct UnprocessedInput {
    /// Restricts the list; captures of [`RecordKind::Raw`] unless it names kinds.
    pub filter: MemoryFilter,
    /// Most captures to return; 0 for the default.
    pub limit: i32,
}

impl App {
    /// Returns active captures that no active or archived memory is derived from: at most the requested number and
    /// about 1 MiB, but at least one if there is any.
    #[boxed]
    pub async fn list_unprocessed(&self, user: &UserId, input: UnprocessedInput) -> Result<Vec<Memory>> {
        let (filter, limit) = input.checked(self.clock.now())?;
        let filter = Arc::new(filter);
        let found = self.vaults.read(user, move |reader| {
            let filter = Arc::clone(&filter);
            Box::pin(async move { oldest(reader, &filter, limit).await })
        });
        Ok(fitting(found.await?))
    }
}

impl UnprocessedInput {
    fn checked(self, now: Timestamp) -> Result<(MemoryFilter, usize)> {
        let limit = limit(self.limit, DEFAULT_UNPROCESSED, MAX_PAGE_SIZE)?;
        self.filter.check()?;
        if !self.filter.states.is_empty() {
            return Err(Error::invalid(
                "filter.states",
                "is not empty; only active memories are listed: leave it empty",
            ));
        }
        let mut filter = self.filter.holding(now);
        if filter.kinds.is_empty() {
            filter.kinds.push(RecordKind::Raw);
        }
        Ok((filter, limit))
    }
}

/// Returns the oldest captures that nothing is derived from. Skips the processed ones, a page at a time.
async fn oldest(reader: &mut dyn VaultReader, filter: &MemoryFilter, limit: usize) -> Result<Vec<Memory>> {
    let (mut found, mut bytes, mut after) = (Vec::new(), 0, None);
    while found.len() < limit && bytes < MAX_PAGE_BYTES {
        let page = reader.list(filter, ListOrder::OldestFirst, after, MAX_PAGE_SIZE, MAX_PAGE_BYTES).await?;
        let Some(newest) = page.last() else { break };
        after = Some(ListKey { created_at: newest.created_at, seq: newest.seq });
        let processed = processed(reader, &page).await?;
        let open = page.into_iter().filter(|memory| !processed.contains(&memory.id));
        for memory in open.take(limit - found.len()) {
            bytes += usize::try_from(memory.size_bytes).unwrap_or(usize::MAX);
            found.push(memory);
        }
    }
    Ok(found)
}

/// Returns those from which a memory is derived that is neither deleted nor withheld.
pub(super) async fn processed(reader: &mut dyn VaultReader, page: &[Memory]) -> Result<HashSet<MemoryId>> {
    let links = Link::of(page.iter().map(|memory| memory.id), Direction::In);
    let mut query = links.is("relation", Relation::DerivedFrom.name());
    query.memories.states = vec![MemoryState::Active, MemoryState::Archived];
    Ok(find::<Link>(reader, &query).await?.into_iter().map(|link| link.to).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_captures_are_meant_unless_other_kinds_are_named() {
        let of = |filter| UnprocessedInput { filter, limit: 0 }.checked(Timestamp(7));
        let (filter, limit) = of(MemoryFilter::default()).unwrap();
        assert_eq!((filter.kinds, filter.valid_at, limit), (vec![RecordKind::Raw], Some(Timestamp(7)), 50));
        let turns = MemoryFilter { kinds: vec![RecordKind::Turn], ..MemoryFilter::default() };
        assert_eq!(of(turns).unwrap().0.kinds, [RecordKind::Turn]);
        assert!(of(MemoryFilter { states: vec![MemoryState::Active], ..MemoryFilter::default() }).is_err());
        assert!(UnprocessedInput { limit: 1_001, ..UnprocessedInput::default() }.checked(Timestamp(7)).is_err());
    }
}
