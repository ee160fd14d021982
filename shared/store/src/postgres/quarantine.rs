//! On Postgres no vault is ever put in quarantine: the database verifies its own pages and refuses what it cannot read.
//! A check reads a whole vault and compares it with its counters.

use async_trait::async_trait;
use kimberly_core::damage::{Damage, Quarantined, Tally};
use kimberly_core::error::Result;
use kimberly_core::ports::{By, Quarantine, Vaults};
use kimberly_core::{Timestamp, UserId};

use super::errors;
use super::vaults::VaultsPort;

#[async_trait]
impl Quarantine for VaultsPort {
    async fn check(&self, user: &UserId) -> Result<Option<Damage>> {
        let vaults: &dyn Vaults = self;
        let read =
            vaults.read(user, |reader| Box::pin(async move { Ok((reader.usage().await?, reader.recount().await?)) }));
        let (counted, found) = read.await?;
        if counted == found { Ok(None) } else { Err(errors::corrupt("the counters of a vault differ from its rows")) }
    }

    async fn release(&self, user: &UserId, _by: &By) -> Result<Option<Damage>> {
        self.check(user).await
    }

    async fn registry_is_whole(&self) -> Result<bool> {
        Ok(true)
    }

    async fn unregistered(&self) -> Result<u64> {
        Ok(0)
    }

    async fn quarantined(&self, _after: Option<&UserId>, _limit: usize) -> Result<Vec<Quarantined>> {
        Ok(Vec::new())
    }

    async fn tally(&self, after: Timestamp) -> Result<Tally> {
        Ok(Tally { latest: after, ..Tally::default() })
    }
}
