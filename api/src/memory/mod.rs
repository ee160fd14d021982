//! `MemoryService`: one file per rpc.

mod batch_create;
mod create;
mod delete;
mod end_session;
mod export;
mod forget;
mod get;
mod import;
mod list;
mod query;
mod record_outcome;
mod restore;
mod update;
mod watch;

use kimberly_proto::v1;
use kimberly_proto::v1::memory_service_server::MemoryService;
use tonic::{Request, Response, Status, Streaming, async_trait};

use crate::Api;
use crate::reply::reply;
use crate::streams::Messages;

/// Serves [`MemoryService`].
#[derive(Clone, Debug)]
pub(crate) struct Memories(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl MemoryService for Memories {
    async fn create_memory(&self, request: Request<v1::CreateMemoryRequest>) -> Answer<v1::CreateMemoryResponse> {
        reply(create::handle(self.0.enter(request).await?).await)
    }

    async fn batch_create_memories(
        &self,
        request: Request<v1::BatchCreateMemoriesRequest>,
    ) -> Answer<v1::BatchCreateMemoriesResponse> {
        reply(batch_create::handle(self.0.enter(request).await?).await)
    }

    async fn get_memory(&self, request: Request<v1::GetMemoryRequest>) -> Answer<v1::GetMemoryResponse> {
        reply(get::handle(&self.0, self.0.enter(request).await?).await)
    }

    async fn list_memories(&self, request: Request<v1::ListMemoriesRequest>) -> Answer<v1::ListMemoriesResponse> {
        reply(list::handle(self.0.enter(request).await?).await)
    }

    async fn update_memory(&self, request: Request<v1::UpdateMemoryRequest>) -> Answer<v1::UpdateMemoryResponse> {
        reply(update::handle(self.0.enter(request).await?).await)
    }

    async fn delete_memory(&self, request: Request<v1::DeleteMemoryRequest>) -> Answer<v1::DeleteMemoryResponse> {
        reply(delete::handle(self.0.enter(request).await?).await)
    }

    async fn forget_memories(&self, request: Request<v1::ForgetMemoriesRequest>) -> Answer<v1::ForgetMemoriesResponse> {
        reply(forget::handle(self.0.enter(request).await?).await)
    }

    async fn restore_memory(&self, request: Request<v1::RestoreMemoryRequest>) -> Answer<v1::RestoreMemoryResponse> {
        reply(restore::handle(self.0.enter(request).await?).await)
    }

    async fn query_memories(&self, request: Request<v1::QueryMemoriesRequest>) -> Answer<v1::QueryMemoriesResponse> {
        reply(query::handle(&self.0, self.0.enter(request).await?).await)
    }

    async fn record_outcome(&self, request: Request<v1::RecordOutcomeRequest>) -> Answer<v1::RecordOutcomeResponse> {
        reply(record_outcome::handle(self.0.enter(request).await?).await)
    }

    async fn end_session(&self, request: Request<v1::EndSessionRequest>) -> Answer<v1::EndSessionResponse> {
        reply(end_session::handle(&self.0, self.0.enter(request).await?).await)
    }

    type ImportMemoriesStream = Messages<v1::ImportMemoriesResponse>;

    async fn import_memories(
        &self,
        request: Request<Streaming<v1::ImportMemoriesRequest>>,
    ) -> Answer<Self::ImportMemoriesStream> {
        Ok(Response::new(import::handle(&self.0, request)))
    }

    type ExportMemoriesStream = Messages<v1::ExportMemoriesResponse>;

    async fn export_memories(&self, request: Request<v1::ExportMemoriesRequest>) -> Answer<Self::ExportMemoriesStream> {
        export::handle(&self.0, request).await.map(Response::new)
    }

    type WatchMemoriesStream = Messages<v1::WatchMemoriesResponse>;

    async fn watch_memories(&self, request: Request<v1::WatchMemoriesRequest>) -> Answer<Self::WatchMemoriesStream> {
        watch::handle(&self.0, request).await.map(Response::new)
    }
}
