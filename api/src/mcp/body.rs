//! Reads bodies of MCP requests within the bounds of JSON, and answers invalid ones as JSON-RPC does.

use std::convert::Infallible;

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use kimberly_transcode::{Failure, Options, read_json};
use serde::de::IgnoredAny;
use serde_json::json;
use tonic::body::Body;

use crate::status;

/// JSON-RPC's code for a body that is not JSON.
const PARSE_ERROR: i32 = -32_700;
/// JSON-RPC's code for JSON that is not a request.
const INVALID_REQUEST: i32 = -32_600;

/// Reads the whole body of a request. Fails with the response to send.
pub(super) async fn read(request: Request<Body>, options: &Options) -> Result<Request<Full<Bytes>>, Response<Body>> {
    let (mut parts, body) = request.into_parts();
    if parts.method != Method::POST {
        // The transport responds which methods are allowed.
        return Ok(Request::from_parts(parts, Full::default()));
    }
    let bytes = read_json(&parts.method, &parts.headers, body, options).await.map_err(|failure| refused(&failure))?;
    parts.headers.remove(CONTENT_ENCODING);
    parts.headers.remove(CONTENT_LENGTH);
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(&bytes) {
        return Err(wrong(PARSE_ERROR, &format!("the body is not JSON: {error}")));
    }
    Ok(Request::from_parts(parts, Full::new(bytes)))
}

/// Converts the transport's response. A body of a valid type that it refuses is JSON, but not a message.
pub(super) fn answered(answer: Response<BoxBody<Bytes, Infallible>>) -> Response<Body> {
    if answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return wrong(INVALID_REQUEST, "the body is not a message of MCP; send one JSON-RPC request or notification");
    }
    answer.map(Body::new)
}

fn refused(failure: &Failure) -> Response<Body> {
    match failure {
        Failure::Status(told) => status::as_json(told, StatusCode::TOO_MANY_REQUESTS),
        Failure::Refused(refusal) => status::as_json(&status::refused(refusal), refusal.http_status()),
    }
}

fn wrong(code: i32, message: &str) -> Response<Body> {
    let said = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    let mut response = Response::new(Body::new(said.to_string()));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
