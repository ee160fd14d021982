//! Lists the items that wait for a decision.

use std::sync::Arc;

use super::look::{Behind, Found, look};
use super::merges::Near;
use crate::bounds::MAX_PAGE_BYTES;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::ports::VaultReader;
use crate::reviews::{Review, ReviewKind};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::page::{PageRequest, fit};

/// Most batches that one call looks through, so that it is short however large a vault is.
const LOOKS: usize = 2 * ReviewKind::ALL.len();

/// The items to list, and the page.
#[derive(Clone, Debug, Default)]
pub struct ListReviewsInput {
    /// Only items of these kinds; empty for all.
    pub kinds: Vec<ReviewKind>,
    /// The page.
    pub page: PageRequest,
}

/// A page of items.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewPage {
    /// The items.
    pub reviews: Vec<Review>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

impl App {
    /// Returns a page of items that wait, kind by kind. It may hold fewer items than requested, even none, though others follow.
    #[boxed]
    pub async fn list_reviews(&self, user: &UserId, input: ListReviewsInput) -> Result<ReviewPage> {
        let limit = input.page.limit()?;
        let kinds = kinds(&input.kinds)?;
        let scope = self.scope_of_memories("review.list", user, &kinds)?;
        let Some(start) = scope.key(&input.page.token)?.or_else(|| kinds.first().map(|kind| Behind::start(*kind)))
        else {
            return Err(Error::InvalidPageToken);
        };
        let (now, asked) = (self.clock.now(), Arc::new((kinds, start, self.near(user))));
        let running = self.vaults.read(user, move |reader| {
            let asked = Arc::clone(&asked);
            Box::pin(async move { find(reader, (&asked.0, asked.1.clone()), &asked.2, (limit, now)).await })
        });
        let (found, rest) = running.await?;
        let size = |one: &Found| one.review.memories.iter().map(|memory| memory.size_bytes).sum();
        let fits = fit(found.iter().map(size), MAX_PAGE_BYTES).min(limit);
        let behind = if fits < found.len() {
            fits.checked_sub(1).and_then(|at| found.get(at)).map(|one| &one.behind)
        } else {
            rest.as_ref()
        };
        let next = behind.map(|behind| scope.token(behind)).transpose()?.unwrap_or_default();
        Ok(ReviewPage { reviews: found.into_iter().take(fits).map(|one| one.review).collect(), next })
    }
}

/// Returns the kinds to list, each once, in the order of lists. If none is named, those that wait for a decision.
fn kinds(named: &[ReviewKind]) -> Result<Vec<ReviewKind>> {
    let all = ReviewKind::ALL;
    if named.len() > all.len() {
        let problem = format!("has {} entries; at most {} are allowed", named.len(), all.len());
        return Err(Error::invalid("kinds", problem));
    }
    Ok(all.iter().copied().filter(|kind| if named.is_empty() { kind.waits() } else { named.contains(kind) }).collect())
}

/// Finds more than `limit` items, unless there are no more or it takes too long; also returns where to continue.
async fn find(
    reader: &mut dyn VaultReader,
    (kinds, start): (&[ReviewKind], Behind),
    near: &Near,
    (limit, now): (usize, Timestamp),
) -> Result<(Vec<Found>, Option<Behind>)> {
    let (mut found, mut behind) = (Vec::new(), start);
    for _ in 0..LOOKS {
        let batch = look(reader, &behind, near, (limit + 1, now)).await?;
        found.extend(batch.found);
        let following = || kinds.iter().copied().find(|kind| *kind > behind.kind).map(Behind::start);
        match batch.rest.or_else(following) {
            Some(rest) => behind = rest,
            None => return Ok((found, None)),
        }
        if found.len() > limit {
            break;
        }
    }
    Ok((found, Some(behind)))
}
