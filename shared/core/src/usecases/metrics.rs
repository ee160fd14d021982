//! How much is kept, and how it goes: for one user, and for the system.

use super::App;
use super::embedding::EmbeddingStatus;
use crate::attachments::AttachmentUsage;
use crate::error::Result;
use crate::ids::UserId;
use crate::meditation::Trigger;
use crate::ports::{Registry, VaultSizes};
use crate::settings::{EffectiveSettings, UserSettings};
use crate::time::Timestamp;
use crate::usage::Usage;
use crate::versions::kept_bytes;

/// Metrics of one user.
#[derive(Clone, Debug, PartialEq)]
pub struct UserMetrics {
    /// What the vault holds.
    pub usage: Usage,
    /// What holds for the user: quotas and the archive's allowance.
    pub settings: EffectiveSettings,
    /// When the last complete meditation ended.
    pub last_meditation: Option<Timestamp>,
    /// When the next scheduled one is due; `None` for a user without a vault.
    pub next_meditation: Option<Timestamp>,
    /// Bytes on disk.
    pub sizes: VaultSizes,
    /// What attachments hold,
    pub attachments: AttachmentUsage,
    /// and what they may hold.
    pub attachment_allowance: u64,
    /// Bytes of the versions that are kept, which count against the archive's allowance.
    pub version_bytes: u64,
    /// How the user's vectors stand.
    pub embedding: EmbeddingStatus,
}

/// Metrics of the system, as far as the domain knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemMetrics {
    /// Users with a vault.
    pub users: u64,
    /// Bytes of the data folder.
    pub disk_bytes: u64,
    /// Vaults that this process holds open.
    pub open_vaults: u64,
    /// Whether there is a model.
    pub embedding_on: bool,
    /// Vectors computed for all users today,
    pub embedded_today: u64,
    /// and how many may be; 0 for no limit.
    pub embedding_daily_budget: u64,
    /// What is wrong with the configuration.
    pub warnings: Vec<String>,
}

impl SystemMetrics {
    /// `monthly_storage_per_user`: bytes that an average user takes; `None` without users.
    #[expect(clippy::cast_precision_loss, reason = "an average needs no more than 53 bits")]
    pub fn storage_per_user(&self) -> Option<f64> {
        (self.users > 0).then(|| self.disk_bytes as f64 / self.users as f64)
    }
}

impl App {
    /// The metrics of one user; an unknown user holds nothing.
    pub async fn user_metrics(&self, registry: &dyn Registry, user: &UserId) -> Result<UserMetrics> {
        let read = self.vaults.read(user, |reader| {
            Box::pin(async move {
                let (usage, settings) = (reader.usage().await?, reader.settings().await?);
                let attachments = reader.attachment_usage().await?;
                let held = (attachments, kept_bytes(reader).await?);
                Ok((usage, settings, reader.last_meditation().await?, reader.sizes().await?, held))
            })
        });
        let (usage, stored, last_meditation, sizes, (attachments, version_bytes)) = read.await?;
        let settings = EffectiveSettings::resolve(&stored.settings, &self.defaults);
        let next_meditation = registry.next_due(user, Trigger::Schedule).await?;
        let embedding = self.embedding_status(user).await?;
        let attachment_allowance = self.defaults.attachments.allowance_bytes;
        Ok(UserMetrics {
            usage,
            settings,
            last_meditation,
            next_meditation,
            sizes,
            attachments,
            attachment_allowance,
            version_bytes,
            embedding,
        })
    }

    /// Tells telemetry what an average user takes. For one process alone, and often, as it is fresh only then.
    pub async fn measure_storage(&self, registry: &dyn Registry) -> Result<()> {
        let (users, disk_bytes) = (registry.count_users().await?, registry.disk_bytes().await?);
        self.observer.stored(users, disk_bytes);
        Ok(())
    }

    /// The metrics of the system.
    pub async fn system_metrics(&self, registry: &dyn Registry) -> Result<SystemMetrics> {
        let (users, disk_bytes) = (registry.count_users().await?, registry.disk_bytes().await?);
        let warnings = EffectiveSettings::resolve(&UserSettings::default(), &self.defaults).warnings;
        let embedding = &self.defaults.embedding;
        Ok(SystemMetrics {
            users,
            disk_bytes,
            open_vaults: self.vaults.open_vaults() as u64,
            embedding_on: embedding.on,
            embedded_today: registry.embedded_on(self.clock.now().day()).await?,
            embedding_daily_budget: embedding.system_daily_budget,
            warnings,
        })
    }
}
