//! Records in the system's audit how many calls failed because of the server, so that the worker, another process, can
//! alert the operator (K-9.2). Writes at most one entry a minute, and none while nothing fails.

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::alerts::FAILED;
use kimberly_core::audit::{Actor, AuditEntry};
use kimberly_core::ports::{Clock, SystemAudit};
use kimberly_runtime::Metrics;
use tokio_util::sync::CancellationToken;

use crate::layers::FAILURES;

/// Interval between entries.
const EVERY: Duration = Duration::from_mins(1);

/// Records failures until `stop`.
pub async fn run(metrics: Metrics, audit: Arc<dyn SystemAudit>, clock: Arc<dyn Clock>, stop: CancellationToken) {
    let mut told = 0;
    while stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_some() {
        let failed = so_far(&metrics);
        if failed > told && tell(&*audit, &*clock, failed - told).await {
            told = failed;
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of calls")]
fn so_far(metrics: &Metrics) -> u64 {
    metrics.snapshot().iter().find(|(name, _)| name == FAILURES).map_or(0, |(_, value)| *value as u64)
}

/// Records a number of failed calls. Returns whether that worked; if not, the next entry includes them.
async fn tell(audit: &dyn SystemAudit, clock: &dyn Clock, count: u64) -> bool {
    let at = clock.now();
    let entry = AuditEntry { at, actor: Actor::System, action: FAILED, refused: None, subject: None, count };
    audit
        .append(vec![entry])
        .await
        .inspect_err(|error| tracing::warn!(%error, "failed calls were not written to the audit"))
        .is_ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use kimberly_core::ports::AuditWork;
    use kimberly_core::{Result, Timestamp};
    use tonic::async_trait;

    use super::*;

    #[derive(Default)]
    struct Told(Mutex<Vec<u64>>);

    #[async_trait]
    impl SystemAudit for Told {
        async fn name(&self) -> Result<String> {
            Ok("told".to_owned())
        }
        async fn append(&self, entries: Vec<AuditEntry>) -> Result<()> {
            self.0.lock().unwrap().extend(entries.iter().map(|entry| entry.count));
            Ok(())
        }
        async fn compact(&self) -> Result<usize> {
            Ok(0)
        }
        async fn read_with(&self, _: AuditWork) -> Result<()> {
            Ok(())
        }
    }

    struct Noon;

    impl Clock for Noon {
        fn now(&self) -> Timestamp {
            Timestamp(1_763_640_000_000_000)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn failed_calls_are_reported_once_and_nothing_is_reported_without_failures() {
        let (metrics, told, stop) = (Metrics::detached(), Arc::new(Told::default()), CancellationToken::new());
        let running = tokio::spawn(run(metrics.clone(), told.clone(), Arc::new(Noon), stop.clone()));
        for failed in [0, 3, 0, 2] {
            metrics.add(FAILURES, failed);
            tokio::time::sleep(EVERY + Duration::from_secs(1)).await;
        }
        stop.cancel();
        running.await.unwrap();
        assert_eq!(*told.0.lock().unwrap(), [3, 2]);
    }
}
