//! Batches of messages, which protocol version 2025-03-26 has, and later ones have not. Messages are handled one after
//! another, each like a request of its own.

use http::request::Parts;
use http::{HeaderMap, Response, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tonic::body::Body;

use super::body::{self, INVALID_REQUEST, Read};
use super::id;
use super::layer::Transport;

/// The version that has batches. Its clients name no version in a header.
const VERSION: &str = "2025-03-26";
/// Maximum messages in a batch: they count as one request against the rate of a credential.
const MOST: usize = 50;

/// Answers a batch.
pub(super) async fn answered(transport: &Transport, parts: Parts, messages: Vec<Value>) -> Response<Body> {
    if let Some(problem) = problem(&parts.headers, messages.len()) {
        return body::wrong(INVALID_REQUEST, &problem, &Value::Null);
    }
    let mut answers = Vec::new();
    for message in messages {
        answers.extend(answer(transport, parts.clone(), message).await);
    }
    if answers.is_empty() {
        // It held notifications alone.
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::ACCEPTED;
        return response;
    }
    body::of_json(&Value::Array(answers))
}

fn problem(headers: &HeaderMap, messages: usize) -> Option<String> {
    let version = headers.get("mcp-protocol-version").and_then(|value| value.to_str().ok());
    match (version, messages) {
        (Some(other), _) if other != VERSION => {
            Some(format!("protocol version {other} has no batches; send one message per request"))
        }
        (_, 0) => Some("the batch is empty; send at least one message".to_owned()),
        (_, count) if count > MOST => Some(format!("the batch holds {count} messages; at most {MOST} are allowed")),
        _ => None,
    }
}

/// Answers one message; `None` if it wants no answer.
async fn answer(transport: &Transport, parts: Parts, message: Value) -> Option<Value> {
    let id = id::in_message(&message);
    let wrong = |problem: &str| {
        Some(json!({"jsonrpc": "2.0", "id": &id, "error": {"code": INVALID_REQUEST, "message": problem}}))
    };
    if message["method"] == "initialize" {
        return wrong("initialize must not be part of a batch; send it alone, and first");
    }
    let Read::One(request, id) = body::one(parts, message) else { return None };
    let answer = body::answered(transport.handle(request).await, &id);
    let status = answer.status();
    let text = answer.into_body().collect().await.ok()?.to_bytes();
    match serde_json::from_slice::<Value>(&text) {
        Ok(answer) if answer.is_object() => Some(answer),
        _ if status.is_success() => None,
        _ => wrong(&String::from_utf8_lossy(&text)),
    }
}
