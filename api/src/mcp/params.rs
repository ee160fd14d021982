//! Says what is wrong with the parameters of a request. The protocol's types take a request whose parameters they cannot
//! read for one of an unknown method.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CustomRequest, ErrorCode, GetPromptRequestParams, InitializeRequestParams,
    PaginatedRequestParams, ReadResourceRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Returns the error for a request that no method takes.
pub(super) fn refused(request: CustomRequest) -> ErrorData {
    let method = request.method.as_str();
    let problem = match method {
        "initialize" => problem::<InitializeRequestParams>(request.params),
        "tools/call" => problem::<CallToolRequestParams>(request.params),
        "prompts/get" => problem::<GetPromptRequestParams>(request.params),
        "resources/read" => problem::<ReadResourceRequestParams>(request.params),
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => {
            problem::<PaginatedRequestParams>(request.params)
        }
        "ping" | "server/discover" => problem::<serde_json::Map<String, Value>>(request.params),
        _ => return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method {method:?}"), None),
    };
    ErrorData::invalid_params(format!("params of {method}: {problem}"), None)
}

fn problem<T: DeserializeOwned>(params: Option<Value>) -> String {
    match serde_json::from_value::<T>(params.unwrap_or_else(|| json!({}))) {
        Err(error) => error.to_string(),
        Ok(_) => "do not fit; send an object, with an object as `_meta` if there is one".to_owned(),
    }
}
