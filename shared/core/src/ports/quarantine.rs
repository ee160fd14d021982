//! Vaults that are damaged: found, kept from use, and let back.

use async_trait::async_trait;

use super::By;
use crate::damage::{Damage, Quarantined, Tally};
use crate::error::Result;
use crate::ids::UserId;
use crate::time::Timestamp;

/// The vaults of one data folder, as files that may be damaged. Reads and writes that meet damage put a vault in quarantine by
/// themselves.
#[async_trait]
pub trait Quarantine: Send + Sync {
    /// Reads all of a user's vault and puts it in quarantine if it is damaged; says what is. `None` if it is whole, or there is
    /// none. One that is in quarantine stays there. Fails if the vault cannot be read for a reason that may pass.
    async fn check(&self, user: &UserId) -> Result<Option<Damage>>;

    /// Reads all of a vault that is in quarantine, and lets it be used again if it is whole; else says what is damaged.
    async fn release(&self, user: &UserId, by: &By) -> Result<Option<Damage>>;

    /// Reads all of the registry; `false` if it is damaged.
    async fn registry_is_whole(&self) -> Result<bool>;

    /// Vaults in quarantine in the order of their users' ids, after one, at most `limit`.
    async fn quarantined(&self, after: Option<&UserId>, limit: usize) -> Result<Vec<Quarantined>>;

    /// How many vaults are in quarantine, and how many of them came after this time.
    async fn tally(&self, after: Timestamp) -> Result<Tally>;
}
