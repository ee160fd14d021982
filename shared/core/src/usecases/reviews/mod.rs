//! Items that wait for a person: listed, applied, dismissed, and undone. One file per operation.

mod apply;
mod dismiss;
mod list;
mod look;
mod merges;
mod promotions;
mod replaced;
mod undo;
mod window;

pub use apply::{Applied, ApplyInput};
pub use list::{ListReviewsInput, ReviewPage};
pub(crate) use merges::{Near, found_in};

use merges::still_waits;
use promotions::promotions;

use crate::error::{Error, Result};
use crate::links::{Link, Relation};
use crate::memory::Memory;
use crate::ports::VaultTransaction;
use crate::reviews::{Ground, Review, ReviewId, ReviewKind};
use crate::time::Timestamp;
use crate::usecases::links::{open, read_contradictions};
use crate::usecases::support::load;

/// Loads the records that the id of an item names.
async fn memories(tx: &mut dyn VaultTransaction, id: &ReviewId) -> Result<Vec<Memory>> {
    let mut memories = Vec::new();
    for id in id.memories() {
        memories.push(load(tx, id).await?);
    }
    Ok(memories)
}

/// Returns an item that waits, from its records as they are now, whatever was decided about it before; also the link,
/// if one states it. For a merge, `merge` is what a read found before.
async fn waiting(
    tx: &mut dyn VaultTransaction,
    id: &ReviewId,
    merge: Option<&Review>,
    now: Timestamp,
) -> Result<(Review, Option<Link>)> {
    let mut memories = memories(tx, id).await?.into_iter();
    let (first, second) = (memories.next(), memories.next());
    let found = match (id.kind, first, second) {
        (ReviewKind::Contradiction, ..) => {
            let query =
                open(now).is("from_id", id.first).is("relation", Relation::Contradicts.name()).is("to_id", id.second);
            let found = read_contradictions(tx.as_reader(), &query).await?.pop();
            found.map(|one| (Review::contradiction(&one.link, one.from, one.to), Some(one.link)))
        }
        (ReviewKind::Duplicate, Some(older), Some(newer))
            if (older.created_at, older.seq) < (newer.created_at, newer.seq) =>
        {
            Review::duplicate(older, newer, now).map(|review| (review, None))
        }
        (ReviewKind::Promotion, Some(first), _) if Ground::KINDS.contains(&first.draft.kind) => {
            let all = promotions(tx.as_reader(), &[first.draft.kind], now).await?;
            all.into_iter().find(|review| review.id == *id).map(|review| (review, None))
        }
        (ReviewKind::Merge, ..) => match merge {
            Some(found) => still_waits(tx.as_reader(), found).await?.map(|review| (review, None)),
            None => None,
        },
        (ReviewKind::Replaced, ..) => {
            replaced::named(tx.as_reader(), id).await?.map(|(review, link)| (review, Some(link)))
        }
        (ReviewKind::Duplicate | ReviewKind::Promotion, ..) | (_, None, _) => None,
        (kind, Some(memory), _) => Review::of(kind, memory, now).map(|review| (review, None)),
    };
    let problem = "is no longer open, because its memories changed; call ListReviews for the current items";
    found.ok_or_else(|| Error::conflict("id", problem))
}
