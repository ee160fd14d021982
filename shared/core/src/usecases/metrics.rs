//! Metrics of one user and of the system.

use super::App;
use super::embedding::EmbeddingStatus;
use crate::attachments::AttachmentUsage;
use crate::boxed;
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
    /// The content of the vault.
    pub usage: Usage,
    /// The settings that apply to the user: quotas and the archive's allowance.
    pub settings: EffectiveSettings,
    /// When the last complete meditation ended.
    pub last_meditation: Option<Timestamp>,
    /// When the next scheduled one is due; `None` for a user without a vault.
    pub next_meditation: Option<Timestamp>,
    /// Bytes on disk.
    pub sizes: VaultSizes,
    /// The size of attachments.
    pub attachments: AttachmentUsage,
    /// Bytes that attachments may hold.
    pub attachment_allowance: u64,
    /// Bytes of versions, which count against the archive's allowance.
    pub version_bytes: u64,
    /// The state of the user's vectors.
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
    /// Whether embeddings are on.
    pub embedding_on: bool,
    /// Vectors computed for all users today.
    pub embedded_today: u64,
    /// Most vectors computed for all users per day; 0 for no limit.
    pub embedding_daily_budget: u64,
    /// Problems of the configuration.
    pub warnings: Vec<String>,
}

impl SystemMetrics {
    /// `monthly_storage_per_user`: average bytes per user; `None` without users.
    #[expect(clippy::cast_precision_loss, reason = "an average needs no more than 53 bits")]
    pub fn storage_per_user(&self) -> Option<f64> {
        (self.users > 0).then(|| self.disk_bytes as f64 / self.users as f64)
    }
}

impl App {
    /// Returns the metrics of one user; an unknown user holds nothing.
    #[boxed]
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
        let embedding = self.embedding_status(registry, user).await?;
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

    /// Reports to telemetry how much storage there is per user. Call it in one process only, and often, so that the value is fresh.
    #[boxed]
    pub async fn measure_storage(&self, registry: &dyn Registry) -> Result<()> {
        let (users, disk_bytes) = (registry.count_users().await?, registry.disk_bytes().await?);
        self.observer.stored(users, disk_bytes);
        Ok(())
    }

    /// Returns the metrics of the system.
    #[boxed]
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
