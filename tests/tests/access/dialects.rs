//! Calls over gRPC and as JSON, and their responses.

use std::time::Duration;

use http::uri::PathAndQuery;
use http_body_util::{BodyExt as _, Full};
use kimberly_tests::raw::Bytes;
use serde_json::Value;
use tonic::body::Body;
use tonic::transport::Channel;
use tonic::{Request, Status};
use tonic_types::StatusExt as _;
use tower::ServiceExt as _;

use crate::access::expected::Outcome;
use crate::access::json::Http;

/// Timeout of any call.
const PATIENCE: Duration = Duration::from_mins(1);

/// The protocol of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dialect {
    Grpc,
    Json,
}

/// The result of a call.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) outcome: Outcome,
    /// Code, message, reason and all details, in a fixed order; empty on success.
    pub(crate) refusal: String,
    /// The response, as far as it was read.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    fn new(reason: &str, refusal: String, body: Vec<u8>) -> Self {
        let outcome = match reason {
            "UNAUTHENTICATED" => Outcome::Unauthenticated,
            "PERMISSION_DENIED" => Outcome::Denied,
            "MEMORY_NOT_FOUND" => Outcome::NotFound,
            _ => Outcome::Served,
        };
        Self { outcome, refusal, body }
    }

    /// Whether the caller should retry later.
    pub(crate) fn is_overload(&self) -> bool {
        ["OVERLOADED", "STORAGE_UNAVAILABLE", "SHUTTING_DOWN"].iter().any(|reason| self.refusal.contains(reason))
    }
}

/// Calls over gRPC, and reads the first messages of the response.
pub(crate) async fn grpc(channel: Channel, rpc: &'static str, shown: Option<&str>, body: Vec<u8>) -> Answer {
    tokio::time::timeout(PATIENCE, async {
        match messages(channel, rpc, shown, body).await {
            Ok(body) => Answer::new("", String::new(), body),
            Err(status) => {
                let reason = status.get_details_error_info().map(|info| info.reason).unwrap_or_default();
                let body = [status.message().as_bytes(), status.details()].concat();
                Answer::new(&reason, described(&status), body)
            }
        }
    })
    .await
    .unwrap_or_else(|_| panic!("no answer to {rpc}"))
}

async fn messages(channel: Channel, rpc: &'static str, shown: Option<&str>, body: Vec<u8>) -> Result<Vec<u8>, Status> {
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let mut request = Request::new(tokio_stream::iter([body]));
    if let Some(shown) = shown {
        request.metadata_mut().insert("authorization", shown.parse().expect("a header"));
    }
    let mut answers = client.streaming(request, PathAndQuery::from_static(rpc), Bytes).await?.into_inner();
    Ok(answers.message().await?.unwrap_or_default())
}

/// A status with all its details.
fn described(status: &Status) -> String {
    let details = status.get_error_details();
    let info = details.error_info();
    let mut facts: Vec<String> =
        info.map(|info| info.metadata.iter().map(|(k, v)| format!("{k}={v}")).collect()).unwrap_or_default();
    facts.sort();
    let trailers: Vec<String> = status
        .metadata()
        .keys()
        .filter_map(|key| if let tonic::metadata::KeyRef::Ascii(key) = key { Some(key.to_string()) } else { None })
        .filter(|key| !["date", "content-type", "content-length"].contains(&key.as_str()))
        .collect();
    let (reason, domain) = info.map(|info| (info.reason.clone(), info.domain.clone())).unwrap_or_default();
    let rest = (details.bad_request(), details.quota_failure(), details.retry_info(), details.help());
    format!("{:?} {:?} {reason} {domain} {facts:?} {rest:?} {trailers:?}", status.code(), status.message())
}

/// Calls as JSON, and reads the response; of a stream, only the start.
pub(crate) async fn json(channel: Channel, call: Http, shown: Option<&str>) -> Answer {
    let Http { method, path, body, streams } = call;
    let mut request = http::Request::builder().method(method).uri(format!("http://localhost{path}"));
    request = request.header("content-type", "application/json");
    if let Some(shown) = shown {
        request = request.header("authorization", shown);
    }
    let request = request.body(Body::new(Full::from(body))).unwrap_or_else(|error| panic!("{path}: {error}"));
    let answered = async {
        let response: http::Response<Body> = channel.oneshot(request).await.expect("the connection holds");
        let (parts, mut body) = response.into_parts();
        let read = if streams && parts.status.is_success() {
            let frame = body.frame().await.map(|frame| frame.expect("the answer is whole"));
            frame.and_then(|frame| frame.into_data().ok()).unwrap_or_default()
        } else {
            body.collect().await.expect("the answer is whole").to_bytes()
        };
        (parts, read.to_vec())
    };
    let (parts, body) =
        tokio::time::timeout(PATIENCE, answered).await.unwrap_or_else(|_| panic!("no answer to {path}"));
    if parts.status.is_success() {
        return Answer::new("", String::new(), body);
    }
    let error: Value = serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{path}: {error} in {body:?}"));
    let details = error["details"].as_array().cloned().unwrap_or_default();
    let reason = details.iter().find_map(|one| one["reason"].as_str()).unwrap_or_default();
    let mut headers: Vec<&str> = parts.headers.keys().map(http::HeaderName::as_str).collect();
    headers.retain(|name| !["date", "content-length"].contains(name));
    headers.sort_unstable();
    // JSON objects have sorted keys.
    Answer::new(reason, format!("{} {error} {headers:?}", parts.status), body)
}
