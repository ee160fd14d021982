//! Has an item listed no more, as long as its records stay as they are.

use super::{Near, waiting};
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::ports::VaultTransaction;
use crate::reviews::{Decided, Decision, ReviewId};
use crate::tables::{find, put};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::support::entry;

impl App {
    /// Dismisses an item that waits; returns whether it was listed before.
    pub async fn dismiss_review(&self, user: &UserId, id: ReviewId) -> Result<bool> {
        let (now, near) = (self.clock.now(), self.near(user));
        let running = self.vaults.transact_existing(user, "dismiss_review", move |tx| {
            let near = near.clone();
            Box::pin(async move { dismiss(tx, id, &near, now).await })
        });
        running.await?.ok_or_else(|| Error::memory_not_found(id.first))
    }
}

async fn dismiss(tx: &mut dyn VaultTransaction, id: ReviewId, near: &Near, now: Timestamp) -> Result<bool> {
    let (review, _) = waiting(tx, &id, near, now).await?;
    let before = find::<Decision>(tx.as_reader(), &Decision::named(&id)).await?.pop();
    if before.is_some_and(|before| before.holds_for(&review.memories)) {
        return Ok(false);
    }
    put(tx, &[Decision::about(id, Decided::Dismissed, &review.memories, now)]).await?;
    tx.audit(&entry(now, "review.dismiss", Some(id.first.to_string()), 1)).await?;
    Ok(true)
}
