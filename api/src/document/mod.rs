//! `DocumentService`: one file per rpc.

mod ingest;
mod list_passages;

use kimberly_proto::v1;
use kimberly_proto::v1::document_service_server::DocumentService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`DocumentService`].
#[derive(Clone, Debug)]
pub(crate) struct Documents(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl DocumentService for Documents {
    async fn ingest_document(&self, request: Request<v1::IngestDocumentRequest>) -> Answer<v1::IngestDocumentResponse> {
        reply(ingest::handle(self.0.enter(request).await?).await)
    }

    async fn list_passages(&self, request: Request<v1::ListPassagesRequest>) -> Answer<v1::ListPassagesResponse> {
        reply(list_passages::handle(self.0.enter(request).await?).await)
    }
}
