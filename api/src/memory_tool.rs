//! `MemoryToolService`.

use kimberly_core::Result;
use kimberly_core::usecases::memory_tool::ToolInput;
use kimberly_proto::v1;
use kimberly_proto::v1::memory_tool_service_server::MemoryToolService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::access::Entered;
use crate::reply::reply;

/// Serves [`MemoryToolService`].
#[derive(Clone, Debug)]
pub(crate) struct MemoryTool(pub Api);

#[async_trait]
impl MemoryToolService for MemoryTool {
    async fn run_memory_tool(
        &self,
        request: Request<v1::RunMemoryToolRequest>,
    ) -> Result<Response<v1::RunMemoryToolResponse>, Status> {
        reply(run(self.0.enter(request).await?).await)
    }
}

async fn run(entered: Entered<v1::RunMemoryToolRequest>) -> Result<v1::RunMemoryToolResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let v1::RunMemoryToolRequest { namespace, command, request_id, .. } = request;
    let told = app.run_memory_tool(&user, ToolInput { namespace, command, request_id, traceparent }).await?;
    Ok(v1::RunMemoryToolResponse { output: told.text, is_error: told.is_error })
}
