//! Statements: a turn and the records learned from it say the same, so what happens to one happens to the other.

pub(in crate::usecases) mod ends;
pub(in crate::usecases) mod standing;

use std::collections::BTreeSet;

use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Direction, Link, Relation};
use crate::ports::VaultReader;
use crate::tables::find;

/// Returns the records that state spans of a turn.
pub(super) async fn stated_in(reader: &mut dyn VaultReader, turn: MemoryId) -> Result<Vec<MemoryId>> {
    let links = spans(reader, [turn], Direction::In).await?;
    Ok(links.into_iter().map(|link| link.from).collect())
}

/// Returns memories with those that say the same: for a record the turns that it was learned from, for a turn the
/// records that were learned from it.
pub(super) async fn with_copies(reader: &mut dyn VaultReader, ids: &[MemoryId]) -> Result<Vec<MemoryId>> {
    let links = spans(reader, ids.iter().copied(), Direction::Both).await?;
    let ends = links.iter().flat_map(|link| [link.from, link.to]);
    Ok(ids.iter().copied().chain(ends).collect::<BTreeSet<_>>().into_iter().collect())
}

/// Returns the links from records to the spans of turns that they state, by either end.
pub(super) async fn spans(
    reader: &mut dyn VaultReader,
    ids: impl IntoIterator<Item = MemoryId>,
    direction: Direction,
) -> Result<Vec<Link>> {
    let query = Link::of(ids, direction).is("relation", Relation::DerivedFrom.name());
    let mut links = find::<Link>(reader, &query).await?;
    links.retain(|link| link.span.is_some());
    Ok(links)
}
