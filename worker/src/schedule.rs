//! Schedules due runs: each user's meditation and rotation.
//!
//! Any number of schedulers may run: only the first schedules a run for its due time.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use kimberly_core::error::Error;
use kimberly_core::ports::{DueUser, Registry};
use kimberly_core::time::Span;
use kimberly_core::usecases::App;
use tokio_util::sync::CancellationToken;

/// Users per page.
const PAGE: usize = 100;
/// Users processed concurrently.
const AT_ONCE: usize = 4;
/// Delay before retrying a user whose run could not be scheduled, so that others come first.
const POSTPONED_BY: Span = Span::seconds(15 * 60);

/// Finds users with due runs.
pub struct Scheduler {
    app: App,
    registry: Arc<dyn Registry>,
}

impl Scheduler {
    /// Creates a scheduler.
    pub fn new(app: App, registry: Arc<dyn Registry>) -> Self {
        Self { app, registry }
    }

    /// Checks about every `interval` until `shutdown` is cancelled, then stops at once; another scheduler continues.
    pub async fn run(self, interval: Duration, shutdown: CancellationToken) {
        let rounds = async {
            loop {
                if let Err(error) = self.round().await {
                    tracing::warn!(%error, "cannot schedule what is due now");
                }
                tokio::time::sleep(interval.mul_f64(rand::random_range(0.75..1.25))).await;
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = rounds => {}
        }
    }

    /// Schedules all due runs, and returns for how many users it succeeded. A user whose vault fails is logged and
    /// postponed. Fails only if the registry does.
    pub async fn round(&self) -> Result<usize, Error> {
        let now = self.app.clock.now();
        let mut started = 0;
        loop {
            let due = self.registry.due(now, PAGE).await?;
            let last_page = due.len() < PAGE;
            let mut ends =
                futures::stream::iter(due).map(|due| async move { self.start(&due).await }).buffer_unordered(AT_ONCE);
            while let Some(end) = ends.next().await {
                started += usize::from(end?);
            }
            if last_page {
                return Ok(started);
            }
        }
    }

    async fn start(&self, due: &DueUser) -> Result<bool, Error> {
        let (user, trigger) = (&due.user, due.trigger);
        let Err(error) = self.app.start_due(&*self.registry, due).await else {
            tracing::debug!(%trigger, "scheduled what was due");
            return Ok(true);
        };
        tracing::warn!(%trigger, %error, "cannot schedule what is due; postponed");
        let later = self.app.clock.now().plus(POSTPONED_BY);
        self.registry.reschedule(user, trigger, Some(due.due_at), later).await?;
        Ok(false)
    }
}
