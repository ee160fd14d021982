//! Returns the metrics of one user or of the system.

use kimberly_core::error::StorageFailure;
use kimberly_core::usecases::App;
use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::get_metrics_response::Metrics;
use kimberly_queue::Queue;

use crate::access::{Entered, System};
use crate::{Api, convert};

pub(super) async fn handle(
    api: &Api,
    entered: Entered<v1::GetMetricsRequest, Option<UserId>>,
) -> Result<v1::GetMetricsResponse> {
    let Entered { user, app, system, .. } = &entered;
    let metrics = match user {
        None => Metrics::System(of_system(api, app, system).await?),
        Some(user) => Metrics::User(convert::metrics::user(&app.user_metrics(&*system.registry, user).await?)),
    };
    Ok(v1::GetMetricsResponse { metrics: Some(metrics) })
}

async fn of_system(api: &Api, app: &App, system: &System) -> Result<v1::SystemMetrics> {
    let mut metrics = app.system_metrics(&*system.registry).await?;
    metrics.warnings.extend(api.warnings.iter().filter(|w| !metrics.warnings.contains(w)).cloned().collect::<Vec<_>>());
    let of_embedder = match &system.embed_queue {
        Some(queue) => Some(measured(queue).await?),
        None => None,
    };
    let queues = (measured(&system.queue).await?, of_embedder);
    Ok(convert::metrics::system(metrics, queues, api.metrics.snapshot(), kimberly_runtime::VERSION))
}

#[expect(clippy::cast_precision_loss, reason = "ages in seconds are far below 2^53")]
async fn measured(queue: &Queue) -> Result<v1::QueueMetrics> {
    let stats = queue.stats().await;
    let stats = stats.map_err(|e| Error::storage(StorageFailure::Unavailable, format!("queue: {e}")))?;
    Ok(v1::QueueMetrics {
        pending: convert::int64(stats.pending + stats.delayed),
        running: convert::int64(stats.running),
        dead: convert::int64(stats.dead),
        oldest_pending_seconds: stats.oldest_pending_secs.unwrap_or(0) as f64,
    })
}
