//! `NamedRecordService`: one file per rpc.

mod edit;
mod get;
mod list;
mod rename;
mod versions;

use kimberly_proto::v1;
use kimberly_proto::v1::named_record_service_server::NamedRecordService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`NamedRecordService`].
#[derive(Clone, Debug)]
pub(crate) struct NamedRecords(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl NamedRecordService for NamedRecords {
    async fn get_named_record(
        &self,
        request: Request<v1::GetNamedRecordRequest>,
    ) -> Answer<v1::GetNamedRecordResponse> {
        reply(get::handle(&self.0, self.0.enter(request).await?).await)
    }

    async fn list_names(&self, request: Request<v1::ListNamesRequest>) -> Answer<v1::ListNamesResponse> {
        reply(list::handle(self.0.enter(request).await?).await)
    }

    async fn edit_record(&self, request: Request<v1::EditRecordRequest>) -> Answer<v1::EditRecordResponse> {
        reply(edit::handle(self.0.enter(request).await?).await)
    }

    async fn list_versions(&self, request: Request<v1::ListVersionsRequest>) -> Answer<v1::ListVersionsResponse> {
        reply(versions::list(self.0.enter(request).await?).await)
    }

    async fn get_version(&self, request: Request<v1::GetVersionRequest>) -> Answer<v1::GetVersionResponse> {
        reply(versions::get(self.0.enter(request).await?).await)
    }

    async fn diff_versions(&self, request: Request<v1::DiffVersionsRequest>) -> Answer<v1::DiffVersionsResponse> {
        reply(versions::diff(self.0.enter(request).await?).await)
    }

    async fn undo_edit(&self, request: Request<v1::UndoEditRequest>) -> Answer<v1::UndoEditResponse> {
        reply(versions::undo(self.0.enter(request).await?).await)
    }

    async fn redact_version(&self, request: Request<v1::RedactVersionRequest>) -> Answer<v1::RedactVersionResponse> {
        reply(versions::redact(self.0.enter(request).await?).await)
    }

    async fn rename_record(&self, request: Request<v1::RenameRecordRequest>) -> Answer<v1::RenameRecordResponse> {
        reply(rename::handle(self.0.enter(request).await?).await)
    }
}
