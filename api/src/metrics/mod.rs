//! `MetricsService`: one file per rpc.

mod alerts;
mod get;

use kimberly_proto::v1;
use kimberly_proto::v1::metrics_service_server::MetricsService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`MetricsService`].
#[derive(Clone, Debug)]
pub(crate) struct MetricsOf(pub Api);

#[async_trait]
impl MetricsService for MetricsOf {
    async fn get_metrics(
        &self,
        request: Request<v1::GetMetricsRequest>,
    ) -> Result<Response<v1::GetMetricsResponse>, Status> {
        reply(get::handle(&self.0, self.0.enter_any(request).await?).await)
    }

    async fn list_alerts(
        &self,
        request: Request<v1::ListAlertsRequest>,
    ) -> Result<Response<v1::ListAlertsResponse>, Status> {
        reply(alerts::handle(self.0.enter_any(request).await?).await)
    }
}
