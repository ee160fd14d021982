//! `GraphService`: one file per rpc.

mod dismiss;
mod get;
mod list;
mod merge;
mod neighbours;
mod related;
mod rename;
mod split;
mod subgraph;

use kimberly_proto::v1;
use kimberly_proto::v1::graph_service_server::GraphService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`GraphService`].
#[derive(Clone, Debug)]
pub(crate) struct Graph(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl GraphService for Graph {
    async fn list_entities(&self, request: Request<v1::ListEntitiesRequest>) -> Answer<v1::ListEntitiesResponse> {
        reply(list::handle(self.0.enter(request).await?).await)
    }

    async fn get_entity(&self, request: Request<v1::GetEntityRequest>) -> Answer<v1::GetEntityResponse> {
        reply(get::handle(self.0.enter(request).await?).await)
    }

    async fn list_neighbours(&self, request: Request<v1::ListNeighboursRequest>) -> Answer<v1::ListNeighboursResponse> {
        reply(neighbours::handle(self.0.enter(request).await?).await)
    }

    async fn get_subgraph(&self, request: Request<v1::GetSubgraphRequest>) -> Answer<v1::GetSubgraphResponse> {
        reply(subgraph::handle(self.0.enter(request).await?).await)
    }

    async fn merge_entities(&self, request: Request<v1::MergeEntitiesRequest>) -> Answer<v1::MergeEntitiesResponse> {
        reply(merge::handle(self.0.enter(request).await?).await)
    }

    async fn split_entity(&self, request: Request<v1::SplitEntityRequest>) -> Answer<v1::SplitEntityResponse> {
        reply(split::handle(self.0.enter(request).await?).await)
    }

    async fn rename_entity(&self, request: Request<v1::RenameEntityRequest>) -> Answer<v1::RenameEntityResponse> {
        reply(rename::handle(self.0.enter(request).await?).await)
    }

    async fn dismiss_entity(&self, request: Request<v1::DismissEntityRequest>) -> Answer<v1::DismissEntityResponse> {
        reply(dismiss::handle(self.0.enter(request).await?).await)
    }

    async fn list_related(&self, request: Request<v1::ListRelatedRequest>) -> Answer<v1::ListRelatedResponse> {
        reply(related::handle(self.0.enter(request).await?).await)
    }
}
