//! `AttachmentService`: one file per rpc.

mod attach;
mod detach;
mod download;
mod export;
mod get;
mod import;
mod list;
mod receive;
mod upload;

use kimberly_proto::v1;
use kimberly_proto::v1::attachment_service_server::AttachmentService;
use tonic::{Request, Response, Status, Streaming, async_trait};

use crate::Api;
use crate::reply::reply;
use crate::streams::Messages;

/// Serves [`AttachmentService`].
#[derive(Clone, Debug)]
pub(crate) struct Attachments(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl AttachmentService for Attachments {
    type UploadAttachmentStream = Messages<v1::UploadAttachmentResponse>;

    async fn upload_attachment(
        &self,
        request: Request<Streaming<v1::UploadAttachmentRequest>>,
    ) -> Answer<Self::UploadAttachmentStream> {
        Ok(Response::new(upload::handle(&self.0, request)))
    }

    type DownloadAttachmentStream = Messages<v1::DownloadAttachmentResponse>;

    async fn download_attachment(
        &self,
        request: Request<v1::DownloadAttachmentRequest>,
    ) -> Answer<Self::DownloadAttachmentStream> {
        download::handle(&self.0, request).await.map(Response::new)
    }

    async fn get_attachment(&self, request: Request<v1::GetAttachmentRequest>) -> Answer<v1::GetAttachmentResponse> {
        reply(get::handle(self.0.enter(request).await?).await)
    }

    async fn list_attachments(
        &self,
        request: Request<v1::ListAttachmentsRequest>,
    ) -> Answer<v1::ListAttachmentsResponse> {
        reply(list::handle(self.0.enter(request).await?).await)
    }

    async fn attach_to_memory(
        &self,
        request: Request<v1::AttachToMemoryRequest>,
    ) -> Answer<v1::AttachToMemoryResponse> {
        reply(attach::handle(self.0.enter(request).await?).await)
    }

    async fn detach_from_memory(
        &self,
        request: Request<v1::DetachFromMemoryRequest>,
    ) -> Answer<v1::DetachFromMemoryResponse> {
        reply(detach::handle(self.0.enter(request).await?).await)
    }

    type ExportAttachmentsStream = Messages<v1::ExportAttachmentsResponse>;

    async fn export_attachments(
        &self,
        request: Request<v1::ExportAttachmentsRequest>,
    ) -> Answer<Self::ExportAttachmentsStream> {
        export::handle(&self.0, request).await.map(Response::new)
    }

    type ImportAttachmentStream = Messages<v1::ImportAttachmentResponse>;

    async fn import_attachment(
        &self,
        request: Request<Streaming<v1::ImportAttachmentRequest>>,
    ) -> Answer<Self::ImportAttachmentStream> {
        Ok(Response::new(import::handle(&self.0, request)))
    }
}
