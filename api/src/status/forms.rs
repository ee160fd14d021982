//! Statuses in other forms than that of a call's answer.

use prost::Message as _;
use tonic::Status;
use tonic::body::Body;
use tonic_types::StatusExt as _;

/// A status as the trailers that end a stream.
pub fn as_trailers(status: &Status) -> http::HeaderMap {
    let mut trailers = http::HeaderMap::new();
    // What we say is percent-encoded, so that it always makes headers.
    if status.add_header(&mut trailers).is_err() {
        trailers.insert(Status::GRPC_STATUS, http::HeaderValue::from(i32::from(status.code())));
    }
    trailers
}

/// A status as an answer of HTTP in JSON, for requests that are refused before anybody knows what they want.
pub fn as_json(status: &Status, http: http::StatusCode) -> http::Response<Body> {
    let details = status.get_error_details();
    let info = details.error_info().map(|info| {
        let kind = "type.googleapis.com/google.rpc.ErrorInfo";
        serde_json::json!({"@type": kind, "reason": info.reason, "domain": info.domain, "metadata": info.metadata})
    });
    let delay = details.retry_info().and_then(|info| info.retry_delay);
    let retry = delay.map(|delay| {
        let kind = "type.googleapis.com/google.rpc.RetryInfo";
        serde_json::json!({"@type": kind, "retryDelay": format!("{:.3}s", delay.as_secs_f64())})
    });
    let details: Vec<_> = info.into_iter().chain(retry).collect();
    let body = serde_json::json!({"code": status.code() as i32, "message": status.message(), "details": details});
    let mut response = http::Response::new(Body::new(body.to_string()));
    *response.status_mut() = http;
    response.headers_mut().insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    if let Some(delay) = delay {
        let seconds = kimberly_transcode::whole_seconds(delay);
        response.headers_mut().insert(http::header::RETRY_AFTER, seconds.into());
    }
    response
}

/// A status as a message, for the outcome of one item of many.
pub fn as_message(status: &Status) -> tonic_types::pb::Status {
    // The details that we make are just this message, encoded.
    tonic_types::pb::Status::decode(status.details()).unwrap_or_else(|_| tonic_types::pb::Status {
        code: status.code().into(),
        message: status.message().to_owned(),
        details: Vec::new(),
    })
}
