//! Renders core memory as one text.

use kimberly_core::Result;
use kimberly_proto::v1;

use crate::access::Entered;

pub(super) async fn handle(entered: Entered<v1::RenderCoreMemoryRequest>) -> Result<v1::RenderCoreMemoryResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let held = app.core_memory(&user, &request.namespace).await?;
    Ok(v1::RenderCoreMemoryResponse { text: held.text() })
}
