//! Reads bodies of MCP requests within the bounds of JSON, and answers over HTTP.

use http::header::{ACCEPT, ALLOW, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use kimberly_transcode::{Failure, Options, read_json};
use serde_json::{Value, json};
use tonic::body::Body;

use super::id;
use super::protocol::{ErrorData, INVALID_PARAMS, PARSE_ERROR, Reply};
use crate::status;

/// Reads the whole body of a request. Fails with the response to send.
pub(super) async fn read(request: Request<Body>, options: &Options) -> Result<(Parts, Value), Response<Body>> {
    let (parts, body) = request.into_parts();
    if parts.method != Method::POST {
        return Err(not_allowed());
    }
    let bytes = read_json(&parts.method, &parts.headers, body, options).await.map_err(|failure| refused(&failure))?;
    match serde_json::from_slice(&bytes) {
        Ok(message) if has_positional_params(&message) => {
            let problem = "params is no object; name the parameters";
            Err(answered(Reply::refused(Some(&id::in_message(&message)), INVALID_PARAMS, problem)))
        }
        Ok(message) => Ok((parts, message)),
        Err(error) => {
            let problem = format!("the body is not JSON: {error}");
            Err(answered(Reply::refused(Some(&id::of(&bytes)), PARSE_ERROR, problem)))
        }
    }
}

/// Reports whether parameters are given by position or as a plain value, which MCP does not have.
fn has_positional_params(message: &Value) -> bool {
    message.get("params").is_some_and(|params| !params.is_object() && !params.is_null())
}

/// Reports whether the caller takes JSON: it says so, or takes anything.
pub(super) fn accepts_json(headers: &HeaderMap) -> bool {
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

/// Creates the answer to other methods than POST: without sessions, there is no stream to open, and nothing to end.
fn not_allowed() -> Response<Body> {
    let mut response = answered(Reply::Text(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed".to_owned()));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
    response
}

/// Creates the answer to a call that a defect ended; the log says which.
pub(super) fn broken() -> Response<Body> {
    let error = ErrorData::internal("internal error");
    let message = json!({"jsonrpc": "2.0", "id": null, "error": error});
    answered(Reply::Message(StatusCode::INTERNAL_SERVER_ERROR, message))
}

/// Creates the answer with a reply.
pub(super) fn answered(reply: Reply) -> Response<Body> {
    let (status, body) = match reply {
        Reply::Nothing => (StatusCode::ACCEPTED, Body::empty()),
        Reply::Text(status, text) => (status, Body::new(text)),
        Reply::Message(status, message) => {
            let mut response = of_json(&message);
            *response.status_mut() = status;
            return response;
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

/// Creates an answer in JSON.
fn of_json(said: &Value) -> Response<Body> {
    let mut response = Response::new(Body::new(said.to_string()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
