//! Carries out a purge, from wherever it was interrupted.

use std::sync::Arc;

use crate::boxed;
use crate::erasure::{Purge, PurgeStep};
use crate::error::{Entity, Error, Result, StorageFailure};
use crate::ids::PurgeId;
use crate::ports::{Clock, ErasesUsers, Purges};

/// Where data of users lies outside of storage.
#[derive(Clone)]
pub struct Elsewhere {
    /// The vector indexes.
    pub vectors: Arc<dyn ErasesUsers>,
    /// The bytes of attachments that lie outside of the vault's folder.
    pub attachments: Arc<dyn ErasesUsers>,
    /// The queue.
    pub jobs: Arc<dyn ErasesUsers>,
}

/// Does what is left to do of a purge, and returns its receipt. Holds the lock on purges, so that a run that was
/// interrupted or presumed dead cannot harm a user who has come back since.
#[boxed]
pub async fn run_purge(purges: &dyn Purges, elsewhere: &Elsewhere, clock: &dyn Clock, id: PurgeId) -> Result<Purge> {
    let _held = purges.hold().await?;
    let found = purges.get(id).await?;
    let mut purge = found.ok_or_else(|| Error::NotFound { entity: Entity::Purge, id: id.to_string() })?;
    while !purge.is_done() {
        purge = step(purges, elsewhere, clock, purge).await?;
    }
    Ok(purge)
}

async fn step(purges: &dyn Purges, elsewhere: &Elsewhere, clock: &dyn Clock, mut purge: Purge) -> Result<Purge> {
    let nameless = || Error::storage(StorageFailure::Corrupt, "an unfinished purge has no user");
    let user = purge.user.clone().ok_or_else(nameless)?;
    match purge.step {
        PurgeStep::Vault => purge.erased = purges.empty_vault(&user, purge.id).await?,
        PurgeStep::Vectors => {
            elsewhere.vectors.erase(&user).await?;
            elsewhere.attachments.erase(&user).await?;
        }
        PurgeStep::Files => purges.destroy_vault(&user, purge.id).await?,
        PurgeStep::Jobs => elsewhere.jobs.erase(&user).await?,
        PurgeStep::Registry => return purges.forget_user(&purge, clock.now()).await,
        PurgeStep::Release => purges.release(&user, purge.id).await?,
        PurgeStep::Receipt | PurgeStep::Done => return purges.finish(&purge, clock.now()).await,
    }
    purge.step = purge.step.next();
    purges.store_progress(&purge).await?;
    Ok(purge)
}
