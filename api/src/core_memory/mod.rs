//! `CoreMemoryService`: one file per rpc.

mod add;
mod list;
mod remove;
mod render;
mod update;

use kimberly_proto::v1;
use kimberly_proto::v1::core_memory_service_server::CoreMemoryService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`CoreMemoryService`].
#[derive(Clone, Debug)]
pub(crate) struct CoreMemories(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl CoreMemoryService for CoreMemories {
    async fn add_block(&self, request: Request<v1::AddBlockRequest>) -> Answer<v1::AddBlockResponse> {
        reply(add::handle(self.0.enter(request).await?).await)
    }

    async fn update_block(&self, request: Request<v1::UpdateBlockRequest>) -> Answer<v1::UpdateBlockResponse> {
        reply(update::handle(self.0.enter(request).await?).await)
    }

    async fn remove_block(&self, request: Request<v1::RemoveBlockRequest>) -> Answer<v1::RemoveBlockResponse> {
        reply(remove::handle(self.0.enter(request).await?).await)
    }

    async fn list_blocks(&self, request: Request<v1::ListBlocksRequest>) -> Answer<v1::ListBlocksResponse> {
        reply(list::handle(self.0.enter(request).await?).await)
    }

    async fn render_core_memory(
        &self,
        request: Request<v1::RenderCoreMemoryRequest>,
    ) -> Answer<v1::RenderCoreMemoryResponse> {
        reply(render::handle(self.0.enter(request).await?).await)
    }
}
