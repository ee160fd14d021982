//! Looks for damage that nobody has met yet: reads every vault from end to end, one after the other, slowly.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_core::error::{Error, Result};
use kimberly_core::ports::{Quarantine, Registry};
use kimberly_core::usecases::App;
use kimberly_core::{Timestamp, UserId};
use kimberly_runtime::Metrics;
use kimberly_store::ScrubNote;
use tokio_util::sync::CancellationToken;

/// How long it rests after a vault, counted in the time that this one took: so it takes a twentieth of a processor at most.
const REST: u32 = 20;
/// The least that it rests.
const LEAST: Duration = Duration::from_secs(1);
/// The most that it waits at the start, when there are better things to do.
const START: Duration = Duration::from_mins(10);

/// How often the vaults in quarantine are counted, whichever process found them.
const COUNT: Duration = Duration::from_secs(10);

/// The search for damage in the vaults of one data folder.
pub struct Scrub {
    /// Reads attachments; `None` where their bytes lie in a store that looks after them itself.
    pub attachments: Option<App>,
    /// Told how many vaults are in quarantine (`vaults.quarantined`), how many came (`vaults.damaged`), and how many
    /// attachments are damaged (`attachments.damaged`).
    pub metrics: Metrics,
    /// Reads vaults and puts them in quarantine.
    pub quarantine: Arc<dyn Quarantine>,
    /// Who there is.
    pub registry: Arc<dyn Registry>,
    /// Where it goes on after a stop.
    pub note: ScrubNote,
    /// How long it rests once it has been through all vaults.
    pub interval: Duration,
}

impl Scrub {
    /// Reads vaults until `shutdown` is cancelled.
    pub async fn run(self, shutdown: CancellationToken) {
        let rounds = async {
            loop {
                let started = Instant::now();
                let rest = match self.next().await {
                    Ok(true) => (started.elapsed() * REST).max(LEAST),
                    Ok(false) => self.interval,
                    Err(error) => {
                        tracing::warn!(%error, "cannot look for damage now");
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

    /// Counts until `shutdown` is cancelled.
    pub async fn count(quarantine: Arc<dyn Quarantine>, metrics: Metrics, shutdown: CancellationToken) {
        // What was there before is no news.
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

    /// Reads the next vault; `false` if that was the last one, and the next time begins with the first.
    pub async fn next(&self) -> Result<bool> {
        let after = self.note.get().await?;
        let Some(user) = self.registry.users(after.as_ref(), 1).await?.pop() else {
            self.note.set(None).await?;
            return Ok(false);
        };
        match self.quarantine.check(&user).await {
            Ok(None) => self.look_at_attachments(&user).await,
            Ok(Some(_)) | Err(Error::Purging) => {}
            Err(error) => tracing::warn!(%error, "a vault cannot be looked at now; the next round comes to it again"),
        }
        self.note.set(Some(&user)).await?;
        Ok(true)
    }

    /// Damaged ones are named, round by round, until they are gone; nothing else of the vault is concerned.
    async fn look_at_attachments(&self, user: &UserId) {
        let Some(app) = &self.attachments else { return };
        match app.damaged_attachments(user).await {
            Ok(damaged) => {
                self.metrics.add("attachments.damaged", damaged.len() as u64);
                for attachment in damaged {
                    let vault = user.folder_name();
                    tracing::error!(vault, %attachment, "an attachment is damaged; the rest of the vault is not concerned");
                }
            }
            Err(Error::Purging | Error::Quarantined { .. }) => {}
            Err(error) => {
                tracing::warn!(%error, "attachments cannot be looked at now; the next round comes to them again");
            }
        }
    }
}
