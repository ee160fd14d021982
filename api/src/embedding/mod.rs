//! `EmbeddingService`: one file per rpc.

mod export_texts;
mod request;
mod status;
mod upload;

use kimberly_proto::v1;
use kimberly_proto::v1::embedding_service_server::EmbeddingService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;
use crate::streams::Messages;

/// Serves [`EmbeddingService`].
#[derive(Clone, Debug)]
pub(crate) struct Embeddings(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl EmbeddingService for Embeddings {
    async fn request_embedding(
        &self,
        request: Request<v1::RequestEmbeddingRequest>,
    ) -> Answer<v1::RequestEmbeddingResponse> {
        reply(request::handle(self.0.enter(request).await?).await)
    }

    async fn upload_embeddings(
        &self,
        request: Request<v1::UploadEmbeddingsRequest>,
    ) -> Answer<v1::UploadEmbeddingsResponse> {
        reply(upload::handle(&self.0, self.0.enter(request).await?).await)
    }

    type ExportEmbeddingTextsStream = Messages<v1::ExportEmbeddingTextsResponse>;

    async fn export_embedding_texts(
        &self,
        request: Request<v1::ExportEmbeddingTextsRequest>,
    ) -> Answer<Self::ExportEmbeddingTextsStream> {
        export_texts::handle(&self.0, request).await.map(Response::new)
    }

    async fn get_embedding_status(
        &self,
        request: Request<v1::GetEmbeddingStatusRequest>,
    ) -> Answer<v1::GetEmbeddingStatusResponse> {
        reply(status::handle(self.0.enter(request).await?).await)
    }
}
