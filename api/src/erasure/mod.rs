//! `ErasureService`: one file per rpc.

mod get;
mod list;
mod purge;

use kimberly_proto::v1;
use kimberly_proto::v1::erasure_service_server::ErasureService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`ErasureService`].
#[derive(Clone, Debug)]
pub(crate) struct Erasure(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl ErasureService for Erasure {
    async fn purge_user(&self, request: Request<v1::PurgeUserRequest>) -> Answer<v1::PurgeUserResponse> {
        reply(purge::handle(self.0.enter(request).await?).await)
    }

    async fn get_purge(&self, request: Request<v1::GetPurgeRequest>) -> Answer<v1::GetPurgeResponse> {
        reply(get::handle(self.0.enter_any(request).await?).await)
    }

    async fn list_purges(&self, request: Request<v1::ListPurgesRequest>) -> Answer<v1::ListPurgesResponse> {
        reply(list::handle(self.0.enter_any(request).await?).await)
    }
}
