//! Resources that clients attach to a prompt on their own: core memory as one text.

use kimberly_proto::v1;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents};

use super::call::Call;

const CORE: &str = "kimberly://core";

/// Returns the list of resources.
pub(super) fn listed() -> Vec<Resource> {
    let about = "The blocks of every prompt of an assistant, as <core_memory>.";
    vec![
        Resource::new(CORE, "core_memory").with_title("Core memory").with_description(about).with_mime_type("text/xml"),
    ]
}

/// Reads the text of a resource.
pub(super) async fn read(call: &Call, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    if uri != CORE {
        return Err(ErrorData::resource_not_found(format!("there is no such resource; there is {CORE}"), None));
    }
    let request = v1::RenderCoreMemoryRequest { user_id: call.user.clone(), ..Default::default() };
    let rendered = call.core_memory().render_core_memory(call.request(request)).await;
    let rendered = rendered.map_err(|status| ErrorData::internal_error(status.message().to_owned(), None))?;
    let text = ResourceContents::text(rendered.into_inner().text, CORE).with_mime_type("text/xml");
    Ok(ReadResourceResult::new(vec![text]))
}
