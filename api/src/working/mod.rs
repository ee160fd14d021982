//! `WorkingMemoryService`: one file per rpc.

mod get;
mod list;
mod run;

use kimberly_core::FieldViolation;
use kimberly_core::time::Span;
use kimberly_proto::v1;
use kimberly_proto::v1::working_memory_service_server::WorkingMemoryService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::convert::time;
use crate::reply::reply;

/// Serves [`WorkingMemoryService`].
#[derive(Clone, Debug)]
pub(crate) struct Working(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl WorkingMemoryService for Working {
    async fn run_working_operations(
        &self,
        request: Request<v1::RunWorkingOperationsRequest>,
    ) -> Answer<v1::RunWorkingOperationsResponse> {
        reply(run::handle(self.0.enter(request).await?).await)
    }

    async fn get_working_entry(
        &self,
        request: Request<v1::GetWorkingEntryRequest>,
    ) -> Answer<v1::GetWorkingEntryResponse> {
        reply(get::handle(self.0.enter(request).await?).await)
    }

    async fn list_working_keys(
        &self,
        request: Request<v1::ListWorkingKeysRequest>,
    ) -> Answer<v1::ListWorkingKeysResponse> {
        reply(list::handle(self.0.enter(request).await?).await)
    }
}

/// Parses the lifetime of a request, if it has one.
fn span(field: String, raw: Option<prost_types::Duration>) -> Result<Option<Span>, FieldViolation> {
    time::optional_span(raw).map_err(|problem| FieldViolation::new(field, problem))
}
