//! Dismisses an item: it is no longer listed, as long as its records stay as they are.

use std::sync::Arc;

use super::waiting;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::ports::VaultTransaction;
use crate::reviews::{Decided, Decision, Review, ReviewId};
use crate::tables::{find, put};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::support::entry;

impl App {
    /// Dismisses an item that waits; reports whether it was listed before.
    #[boxed]
    pub async fn dismiss_review(&self, user: &UserId, id: ReviewId) -> Result<bool> {
        let now = self.clock.now();
        let merge = Arc::new(self.waiting_merge(user, id, now).await?);
        let running = self.vaults.transact_existing(user, "dismiss_review", move |tx| {
            let merge = Arc::clone(&merge);
            Box::pin(async move { dismiss(tx, id, merge.as_ref().as_ref(), now).await })
        });
        running.await?.ok_or_else(|| Error::memory_not_found(id.first))
    }
}

async fn dismiss(tx: &mut dyn VaultTransaction, id: ReviewId, merge: Option<&Review>, now: Timestamp) -> Result<bool> {
    let (review, _) = waiting(tx, &id, merge, now).await?;
    let before = find::<Decision>(tx.as_reader(), &Decision::named(&id)).await?.pop();
    if before.is_some_and(|before| before.holds_for(&review.memories)) {
        return Ok(false);
    }
    put(tx, &[Decision::about(id, Decided::Dismissed, &review.memories, now)]).await?;
    tx.audit(&entry(now, "review.dismiss", Some(id.first.to_string()), 1)).await?;
    Ok(true)
}
