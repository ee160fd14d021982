//! Reads bodies of MCP requests within the bounds of JSON, and answers invalid ones as JSON-RPC does.

use std::convert::Infallible;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use kimberly_transcode::{Failure, Options, read_json};
use serde_json::{Value, json};
use tonic::body::Body;

use super::id;
use crate::status;

/// JSON-RPC's code for a body that is not JSON.
const PARSE_ERROR: i32 = -32_700;
/// JSON-RPC: the parameters are not those of the method.
const INVALID_PARAMS: i32 = -32_602;
/// JSON-RPC's code for JSON that is not a request.
pub(super) const INVALID_REQUEST: i32 = -32_600;

/// The body of a request.
pub(super) enum Read {
    /// One message, or none, and its id.
    One(Request<Full<Bytes>>, Value),
    /// Several messages, for protocol versions that have batches.
    Batch(Parts, Vec<Value>),
}

/// Reads the whole body of a request. Fails with the response to send.
pub(super) async fn read(request: Request<Body>, options: &Options) -> Result<Read, Response<Body>> {
    let (mut parts, body) = request.into_parts();
    if parts.method != Method::POST {
        // The transport responds which methods are allowed.
        return Ok(Read::One(Request::from_parts(parts, Full::default()), Value::Null));
    }
    let bytes = read_json(&parts.method, &parts.headers, body, options).await.map_err(|failure| refused(&failure))?;
    parts.headers.remove(CONTENT_ENCODING);
    parts.headers.remove(CONTENT_LENGTH);
    if accepts_json(&parts.headers) {
        // The transport requires both, and answers in JSON.
        parts.headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    }
    match serde_json::from_slice(&bytes) {
        Ok(Value::Array(messages)) => Ok(Read::Batch(parts, messages)),
        Ok(message) if has_positional_params(&message) => {
            Err(wrong(INVALID_PARAMS, "params is no object; name the parameters", &id::in_message(&message)))
        }
        Ok(message) => Ok(one(parts, message)),
        Err(error) => Err(wrong(PARSE_ERROR, &format!("the body is not JSON: {error}"), &id::of(&bytes))),
    }
}

/// Reports whether parameters are given by position or as a plain value, which MCP does not have.
fn has_positional_params(message: &Value) -> bool {
    message.get("params").is_some_and(|params| !params.is_object() && !params.is_null())
}

/// Creates the request for one message.
pub(super) fn one(parts: Parts, mut message: Value) -> Read {
    let id = id::in_message(&message);
    for path in ["/params", ""] {
        // `null` for parameters or arguments means none.
        if let Some(Value::Object(fields)) = message.pointer_mut(path) {
            fields.retain(|name, value| !value.is_null() || !["params", "arguments"].contains(&name.as_str()));
        }
    }
    Read::One(Request::from_parts(parts, Full::new(Bytes::from(message.to_string()))), id)
}

/// Converts the transport's response. A body of a valid type that it refuses is JSON, but not a message.
pub(super) fn answered(answer: Response<BoxBody<Bytes, Infallible>>, id: &Value) -> Response<Body> {
    if answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        let problem = "the body is not a message of MCP; send one JSON-RPC request or notification";
        return wrong(INVALID_REQUEST, problem, id);
    }
    answer.map(Body::new)
}

/// Reports whether the caller takes JSON: it says so, or takes anything.
fn accepts_json(headers: &HeaderMap) -> bool {
    let mut kinds = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(','));
    let is_json = |kind: &str| {
        let (kind, rest) = kind.split_once(';').unwrap_or((kind, ""));
        let refused =
            rest.split(';').any(|part| part.trim().strip_prefix("q=").and_then(|q| q.parse::<f64>().ok()) == Some(0.0));
        let kind = kind.trim().to_ascii_lowercase();
        !refused && ["*/*", "application/*", "application/json"].contains(&kind.as_str())
    };
    !headers.contains_key(ACCEPT) || kinds.any(is_json)
}

fn refused(failure: &Failure) -> Response<Body> {
    match failure {
        Failure::Status(told) => status::as_json(told, StatusCode::TOO_MANY_REQUESTS),
        Failure::Refused(refusal) => status::as_json(&status::refused(refusal), refusal.http_status()),
    }
}

/// Creates the answer to what is no request.
pub(super) fn wrong(code: i32, message: &str, id: &Value) -> Response<Body> {
    let said = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    let mut response = of_json(&said);
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

/// Creates an answer in JSON.
pub(super) fn of_json(said: &Value) -> Response<Body> {
    let mut response = Response::new(Body::new(said.to_string()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
