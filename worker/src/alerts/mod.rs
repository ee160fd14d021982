//! Raises alerts for operators (K-9.2) without a Prometheus. Reads the numbers of all users periodically, lets
//! `kimberly_core::alerts` decide which alerts hold, and reports changes. Reports go to the log, the metrics, the
//! system's audit (read by `kimberly alerts`), and a webhook if one is configured.

mod survey;
mod webhook;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use kimberly_core::Result;
use kimberly_core::alerts::{Alert, CLEARED, RAISED, Watch};
use kimberly_core::audit::{Actor, AuditEntry};
use kimberly_core::ports::{Registry, SystemAudit};
use kimberly_core::usecases::{App, list_alerts};
use kimberly_queue::Queue;
use kimberly_runtime::Metrics;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use webhook::Webhook;

/// Minimum pause between two checks.
const INTERVAL: Duration = Duration::from_mins(5);
/// The pause after a check, as a multiple of its duration: a check takes long with many users.
const PAUSE_IN_LOOKS: u32 = 20;

/// Checks for alerts.
pub struct Alerts {
    /// The use cases.
    pub app: App,
    /// The registry of users.
    pub registry: Arc<dyn Registry>,
    /// The system's audit.
    pub audit: Arc<dyn SystemAudit>,
    /// The queue.
    pub queue: Queue,
    /// The metrics to set.
    pub metrics: Metrics,
    /// The share of a quota above which a tier is reported.
    pub quota_share: f64,
    /// The webhook, if one is configured.
    pub webhook: Option<Webhook>,
}

impl Alerts {
    /// Checks repeatedly until `shutdown` is cancelled.
    pub async fn run(self, shutdown: CancellationToken) {
        let looks = async {
            let mut watch = Watch::default();
            loop {
                let began = Instant::now();
                if let Err(error) = self.look(&mut watch).await {
                    tracing::warn!(%error, "cannot evaluate alerts now");
                }
                tokio::time::sleep(INTERVAL.max(began.elapsed() * PAUSE_IN_LOOKS)).await;
            }
        };
        shutdown.run_until_cancelled(looks).await;
    }

    /// Checks once, and reports changes since the last report of any worker.
    pub async fn look(&self, watch: &mut Watch) -> Result<()> {
        let readings = self.survey().await?;
        let holds: BTreeMap<Alert, u64> = watch.look(readings).into_iter().collect();
        let told: BTreeSet<Alert> = list_alerts(&*self.audit, false).await?.iter().map(|told| told.alert).collect();
        for alert in Alert::ALL {
            let count = holds.get(alert).copied().unwrap_or_default();
            #[expect(clippy::cast_precision_loss, reason = "a published metric is a double")]
            self.metrics.set(alert.metric(), count as f64);
            match (told.contains(alert), count > 0) {
                (false, true) => self.tell(*alert, RAISED, count).await?,
                (true, false) => self.tell(*alert, CLEARED, 0).await?,
                _ => {}
            }
        }
        Ok(())
    }

    async fn tell(&self, alert: Alert, action: &'static str, count: u64) -> Result<()> {
        let at = self.app.clock.now();
        if action == RAISED {
            tracing::warn!(%alert, count, "{}", alert.text(count));
        } else {
            tracing::info!(%alert, "holds no more");
        }
        let subject = Some(alert.to_string());
        let entry = AuditEntry { at, actor: Actor::System, action, refused: None, subject, count };
        self.audit.append(vec![entry]).await?;
        if let Some(webhook) = &self.webhook
            && let Err(error) = webhook.tell(alert, action == RAISED, count, at).await
        {
            tracing::warn!(%alert, %error, "the webhook of alerts was not reached");
        }
        Ok(())
    }
}
