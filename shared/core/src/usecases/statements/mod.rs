//! Statements: a turn and the records learned from it say the same, so what happens to one happens to the other.

mod copies;
mod echoes;
mod elsewhere;
pub(in crate::usecases) mod ends;
pub(in crate::usecases) mod forgotten;
mod quotes;
mod restore;
pub(in crate::usecases) mod standing;
mod strike;

pub(super) use copies::Copies;
pub(super) use restore::Restoring;
pub use strike::Along;
pub(super) use strike::{put_all_aside, strike_for_good};

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

/// Returns the links from records to the spans of turns that they state, by either end; without their quotes.
pub(super) async fn spans(
    reader: &mut dyn VaultReader,
    ids: impl IntoIterator<Item = MemoryId>,
    direction: Direction,
) -> Result<Vec<Link>> {
    let query = Link::of(ids, direction).is("relation", Relation::DerivedFrom.name());
    let mut links = find::<Link>(reader, &query.without(&["evidence"])).await?;
    links.retain(|link| link.span.is_some());
    Ok(links)
}

/// Returns the links of the records that replace some records.
async fn replacing(reader: &mut dyn VaultReader, ids: impl IntoIterator<Item = MemoryId>) -> Result<Vec<Link>> {
    find::<Link>(reader, &Link::of(ids, Direction::In).is("relation", Relation::Supersedes.name())).await
}
