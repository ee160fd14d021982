//! Reads the metrics of one user, or of the system.

use kimberly_core::error::StorageFailure;
use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::get_metrics_response::Metrics;
use kimberly_queue::Queue;

use crate::{Api, convert};

pub(super) async fn handle(api: &Api, request: v1::GetMetricsRequest) -> Result<v1::GetMetricsResponse> {
    let metrics = if request.user_id.is_empty() {
        Metrics::System(system(api).await?)
    } else {
        let user = UserId::parse(&request.user_id)?;
        Metrics::User(convert::metrics::user(&api.app.user_metrics(&*api.registry, &user).await?))
    };
    Ok(v1::GetMetricsResponse { metrics: Some(metrics) })
}

async fn system(api: &Api) -> Result<v1::SystemMetrics> {
    let mut metrics = api.app.system_metrics(&*api.registry).await?;
    metrics.warnings.extend(api.warnings.iter().filter(|w| !metrics.warnings.contains(w)).cloned().collect::<Vec<_>>());
    let of_embedder = match &api.embed_queue {
        Some(queue) => Some(measured(queue).await?),
        None => None,
    };
    let queues = (measured(&api.queue).await?, of_embedder);
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
