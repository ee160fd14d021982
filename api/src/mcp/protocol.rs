//! Messages of JSON-RPC 2.0, as MCP uses it, and the replies to them.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value, json};

/// An object of JSON.
pub(super) type JsonObject = Map<String, Value>;

/// JSON-RPC: the body is not JSON.
pub(super) const PARSE_ERROR: i32 = -32_700;
/// JSON-RPC: the server failed.
const INTERNAL_ERROR: i32 = -32_603;
/// JSON-RPC: the parameters are not those of the method.
pub(super) const INVALID_PARAMS: i32 = -32_602;
/// JSON-RPC: there is no such method.
pub(super) const METHOD_NOT_FOUND: i32 = -32_601;
/// JSON-RPC: the JSON is not a request.
pub(super) const INVALID_REQUEST: i32 = -32_600;
/// MCP: the server does not have the request's version.
pub(super) const UNSUPPORTED_VERSION: i32 = -32_022;
/// MCP: headers contradict the body.
pub(super) const HEADER_MISMATCH: i32 = -32_020;
/// MCP before 2026-07-28: there is no such resource.
pub(super) const RESOURCE_NOT_FOUND: i32 = -32_002;

/// Numbers up to here are exact as doubles.
const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;

/// An error of a request.
#[derive(Debug, Serialize)]
pub(super) struct ErrorData {
    pub(super) code: i32,
    pub(super) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Value>,
}

impl ErrorData {
    /// Creates an error with a message.
    pub(super) fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Creates the error for parameters that a method does not take.
    pub(super) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    /// Creates the error for a failure of the server.
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::new(INTERNAL_ERROR, message)
    }
}

/// A message of a client.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// Wants a reply.
    Request { id: Value, method: String, params: JsonObject },
    /// Wants none.
    Notification { method: String, params: JsonObject },
    /// The reply to a request, which this server never sends.
    Response,
}

impl Message {
    /// Reads a message. `None` if it is none of MCP.
    pub(super) fn read(message: Value) -> Option<Self> {
        let Value::Object(mut members) = message else { return None };
        let params = object(members.remove("params"))?;
        object(params.get("_meta").cloned())?;
        if members.get("jsonrpc")? != "2.0" {
            return None;
        }
        let [method, id, result, error] = ["method", "id", "result", "error"].map(|name| members.remove(name));
        match (method, id, result, error) {
            (Some(Value::String(method)), Some(id), None, None) => {
                Some(Self::Request { id: of_id(id)?, method, params })
            }
            (Some(Value::String(method)), None, None, None) => Some(Self::Notification { method, params }),
            (None, Some(id), Some(_), None) => of_id(id).map(|_| Self::Response),
            (None, _, None, Some(Value::Object(_))) => Some(Self::Response),
            _ => None,
        }
    }
}

/// Returns an object, which is empty if it is left out.
fn object(value: Option<Value>) -> Option<JsonObject> {
    match value {
        None | Some(Value::Null) => Some(JsonObject::new()),
        Some(Value::Object(object)) => Some(object),
        Some(_) => None,
    }
}

/// Returns an id: a text or a whole number.
fn of_id(id: Value) -> Option<Value> {
    match id {
        Value::String(_) => Some(id),
        Value::Number(number) => Some(whole(number)).filter(Value::is_i64),
        _ => None,
    }
}

/// Writes a whole number without its fraction.
#[expect(clippy::cast_possible_truncation, reason = "the number is whole and below 2^53")]
pub(super) fn whole(number: Number) -> Value {
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() <= MAX_WHOLE => json!(value as i64),
        _ => Value::Number(number),
    }
}

/// Reads the parameters of a method.
pub(super) fn read<'p, T: Deserialize<'p>>(method: &str, params: &'p JsonObject) -> Result<T, ErrorData> {
    T::deserialize(params).map_err(|error| ErrorData::invalid_params(format!("params of {method}: {error}")))
}

/// The reply to one message.
pub(super) enum Reply {
    /// No message: a notification wants none.
    Nothing,
    /// A message.
    Message(StatusCode, Value),
    /// A text, to what violates the rules of HTTP rather than those of JSON-RPC.
    Text(StatusCode, String),
}

impl Reply {
    /// Creates the reply to a request.
    pub(super) fn result(id: &Value, result: Value) -> Self {
        let mut reply = json!({"jsonrpc": "2.0", "id": id});
        reply["result"] = result;
        Self::Message(StatusCode::OK, reply)
    }

    /// Creates the reply to a request that failed.
    pub(super) fn error(status: StatusCode, id: &Value, error: &ErrorData) -> Self {
        Self::Message(status, failed(id, error))
    }

    /// Creates the reply to a message that is refused, and may have no id.
    pub(super) fn refused(id: Option<&Value>, code: i32, problem: impl Into<String>) -> Self {
        let mut reply = failed(id.unwrap_or(&Value::Null), &ErrorData::new(code, problem));
        if let (None, Value::Object(members)) = (id, &mut reply) {
            members.remove("id");
        }
        Self::Message(StatusCode::BAD_REQUEST, reply)
    }
}

/// Creates the message that says why a request failed.
pub(super) fn failed(id: &Value, error: &ErrorData) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_of_json_rpc_2_are_read() {
        let request = |id: Value| Message::Request { id, method: "ping".to_owned(), params: JsonObject::new() };
        for (written, read) in [
            (json!({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": null}), request(json!("a"))),
            (json!({"jsonrpc": "2.0", "id": 1e2, "method": "ping", "params": {}, "other": 1}), request(json!(100))),
            (json!({"jsonrpc": "2.0", "id": 1, "result": null}), Message::Response),
            (json!({"jsonrpc": "2.0", "error": {"code": 1, "message": "x"}}), Message::Response),
        ] {
            assert_eq!(Message::read(written.clone()), Some(read), "{written}");
        }
        for written in [
            json!([]),
            json!({"id": 1, "method": "ping"}),
            json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": null, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": u64::MAX, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 1, "method": 7}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": 7}}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}),
            json!({"jsonrpc": "2.0", "result": {}}),
        ] {
            assert_eq!(Message::read(written.clone()), None, "{written}");
        }
    }
}
