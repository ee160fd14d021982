//! `ServerService`: one file per rpc.

mod get;

use kimberly_proto::v1;
use kimberly_proto::v1::server_service_server::ServerService;
use tonic::{Request, Response, Status, async_trait};

use crate::reply::reply;

/// Serves [`ServerService`]. Its response does not change while the process runs.
#[derive(Clone, Debug)]
pub(crate) struct ServerInfo(pub v1::GetServerInfoResponse);

pub(crate) use get::describe;

#[async_trait]
impl ServerService for ServerInfo {
    async fn get_server_info(
        &self,
        _: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        reply(Ok(self.0.clone()))
    }
}
