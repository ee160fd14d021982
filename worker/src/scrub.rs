//! Searches for undetected damage by reading every vault completely, slowly, one after the other.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_core::error::{Error, Result};
use kimberly_core::ports::{Quarantine, Registry};
use kimberly_core::usecases::App;
use kimberly_core::{Timestamp, UserId};
use kimberly_runtime::Metrics;
use kimberly_store::ScrubNote;
use tokio_util::sync::CancellationToken;

/// The pause after a vault, as a multiple of its read time. The scrub thus uses at most a twentieth of a processor.
const REST: u32 = 20;
/// Minimum pause after a vault.
const LEAST: Duration = Duration::from_secs(1);
/// Maximum delay before the first round, when other work is more urgent.
const START: Duration = Duration::from_mins(10);

/// Interval between counts of quarantined vaults, whichever process found them.
const COUNT: Duration = Duration::from_secs(10);

/// The scrub of a data folder's vaults.
pub struct Scrub {
    /// Reads attachments; `None` if an object store is responsible for their integrity.
    pub attachments: Option<App>,
    /// Metrics: quarantined vaults (`vaults.quarantined`), newly damaged ones (`vaults.damaged`) and damaged
    /// attachments (`attachments.damaged`).
    pub metrics: Metrics,
    /// Checks vaults and quarantines damaged ones.
    pub quarantine: Arc<dyn Quarantine>,
    /// The registry of users.
    pub registry: Arc<dyn Registry>,
    /// The saved position, where the scrub continues after a stop.
    pub note: ScrubNote,
    /// The pause after a round through all vaults.
    pub interval: Duration,
}

impl Scrub {
    /// Runs until `shutdown` is cancelled.
    pub async fn run(self, shutdown: CancellationToken) {
        let rounds = async {
            loop {
                let started = Instant::now();
                let rest = match self.next().await {
                    Ok(true) => (started.elapsed() * REST).max(LEAST),
                    Ok(false) => self.interval,
                    Err(error) => {
                        tracing::warn!(%error, "cannot scan for damage now");
                        self.interval
                    }
                };
                tokio::time::sleep(rest.mul_f64(rand::random_range(0.9..1.1))).await;
            }
        };
        let before = self.interval.min(START);
        if shutdown.run_until_cancelled(tokio::time::sleep(before)).await.is_some() {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = rounds => {}
            }
        }
    }

    /// Updates the metrics of quarantined vaults until `shutdown` is cancelled.
    pub async fn count(quarantine: Arc<dyn Quarantine>, metrics: Metrics, shutdown: CancellationToken) {
        // Vaults quarantined before the start are not counted as new.
        let mut last = None;
        loop {
            match quarantine.tally(last.unwrap_or(Timestamp(0))).await {
                Ok(tally) => {
                    metrics.set("vaults.quarantined", f64::from(u32::try_from(tally.all).unwrap_or(u32::MAX)));
                    metrics.add("vaults.damaged", if last.is_some() { tally.news } else { 0 });
                    last = last.max(Some(tally.latest));
                }
                Err(error) => tracing::warn!(%error, "cannot count damaged vaults now"),
            }
            if shutdown.run_until_cancelled(tokio::time::sleep(COUNT)).await.is_none() {
                return;
            }
        }
    }

    /// Checks the next vault. Returns `false` at the end of a round, after which the next round starts.
    pub async fn next(&self) -> Result<bool> {
        let after = self.note.get().await?;
        let Some(user) = self.registry.users(after.as_ref(), 1).await?.pop() else {
            self.note.set(None).await?;
            return Ok(false);
        };
        match self.quarantine.check(&user).await {
            Ok(None) => self.look_at_attachments(&user).await,
            Ok(Some(_)) | Err(Error::Purging) => {}
            Err(error) => tracing::warn!(%error, "a vault cannot be checked now; the next scan retries"),
        }
        self.note.set(Some(&user)).await?;
        Ok(true)
    }

    /// Reports damaged attachments in each round until they are gone. The rest of the vault is unaffected.
    async fn look_at_attachments(&self, user: &UserId) {
        let Some(app) = &self.attachments else { return };
        match app.damaged_attachments(user).await {
            Ok(damaged) => {
                self.metrics.add("attachments.damaged", damaged.len() as u64);
                for attachment in damaged {
                    let vault = user.folder_name();
                    tracing::error!(vault, %attachment, "an attachment is damaged; the rest of the vault is not \
                        affected");
                }
            }
            Err(Error::Purging | Error::Quarantined { .. }) => {}
            Err(error) => {
                tracing::warn!(%error, "attachments cannot be checked now; the next scan retries");
            }
        }
    }
}
