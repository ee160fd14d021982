//! Resources that clients attach to a prompt on their own: core memory as one text.

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::call::Call;
use super::protocol::{ErrorData, INVALID_PARAMS, RESOURCE_NOT_FOUND};
use super::versions::Terms;

const CORE: &str = "kimberly://core";
const MIME_TYPE: &str = "text/xml";

/// Returns the list of resources.
pub(super) fn listed() -> Value {
    let about = "The blocks of every prompt of an assistant, as <core_memory>.";
    json!([
        {"uri": CORE, "name": "core_memory", "title": "Core memory", "description": about, "mimeType": MIME_TYPE},
    ])
}

/// Reads the text of a resource.
pub(super) async fn read(call: &Call, uri: &str, terms: Terms) -> Result<Value, ErrorData> {
    if uri != CORE {
        let code = if terms.modern { INVALID_PARAMS } else { RESOURCE_NOT_FOUND };
        return Err(ErrorData::new(code, format!("there is no such resource; there is {CORE}")));
    }
    let request = v1::RenderCoreMemoryRequest { user_id: call.user.clone(), ..Default::default() };
    let rendered = call.core_memory().render_core_memory(call.request(request)).await;
    let rendered = rendered.map_err(|status| ErrorData::internal(status.message()))?;
    Ok(json!({"contents": [{"uri": CORE, "mimeType": MIME_TYPE, "text": rendered.into_inner().text}]}))
}
