//! Quarantine of damaged vaults: detection, isolation and release.

use async_trait::async_trait;

use super::By;
use crate::damage::{Damage, Quarantined, Tally};
use crate::error::Result;
use crate::ids::UserId;
use crate::time::Timestamp;

/// The vaults of one data folder as files that may be damaged. Reads and writes that find damage quarantine a vault by
/// themselves.
#[async_trait]
pub trait Quarantine: Send + Sync {
    /// Reads a user's whole vault and quarantines it if it is damaged; returns the damage. `None` if it is intact or
    /// does not exist. A vault in quarantine stays there. Fails if the vault cannot be read for a temporary reason.
    async fn check(&self, user: &UserId) -> Result<Option<Damage>>;

    /// Reads a quarantined vault in full and releases it if it is intact; else returns the damage.
    async fn release(&self, user: &UserId, by: &By) -> Result<Option<Damage>>;

    /// Reads the whole registry; `false` if it is damaged.
    async fn registry_is_whole(&self) -> Result<bool>;

    /// Counts the vaults whose users the registry does not know, as after it was restored from an older backup.
    async fn unregistered(&self) -> Result<u64>;

    /// Lists quarantined vaults by user id, after one, at most `limit`.
    async fn quarantined(&self, after: Option<&UserId>, limit: usize) -> Result<Vec<Quarantined>>;

    /// Counts the vaults in quarantine, and those quarantined after this time.
    async fn tally(&self, after: Timestamp) -> Result<Tally>;
}
