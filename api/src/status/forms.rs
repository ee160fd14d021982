//! Converts statuses to forms other than the response of a call.

use prost::Message as _;
use tonic::Status;
use tonic::body::Body;
use tonic_types::StatusExt as _;

/// Converts a status to the trailers that end a stream.
pub fn as_trailers(status: &Status) -> http::HeaderMap {
    let mut trailers = http::HeaderMap::new();
    // Our messages are percent-encoded, so they always form valid headers.
    if status.add_header(&mut trailers).is_err() {
        trailers.insert(Status::GRPC_STATUS, http::HeaderValue::from(i32::from(status.code())));
    }
    trailers
}

/// Converts a status to an HTTP response in JSON, for requests that are refused before they are translated.
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

/// Converts a status to a message, for the outcome of one item of many.
pub fn as_message(status: &Status) -> tonic_types::pb::Status {
    // The details that we create are this same message, encoded.
    tonic_types::pb::Status::decode(status.details()).unwrap_or_else(|_| tonic_types::pb::Status {
        code: status.code().into(),
        message: status.message().to_owned(),
        details: Vec::new(),
    })
}
