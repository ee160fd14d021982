//! Batches of messages, which protocol version 2025-03-26 has, and later ones have not. Messages are handled one after
//! another, each like a request of its own.

use http::request::Parts;
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::id;
use super::protocol::{self, ErrorData, INVALID_REQUEST, Reply};
use super::server::Server;

/// The version that has batches. Its clients name no version in a header.
const VERSION: &str = "2025-03-26";
/// Maximum messages in a batch: they count as one request against the rate of a credential.
const MOST: usize = 50;

/// Replies to a batch.
pub(super) async fn reply(server: &Server, parts: Parts, messages: Vec<Value>) -> Reply {
    if let Some(problem) = problem(&parts.headers, messages.len()) {
        return Reply::refused(Some(&Value::Null), INVALID_REQUEST, problem);
    }
    let mut replies = Vec::new();
    for message in messages {
        replies.extend(reply_to(server, parts.clone(), message).await);
    }
    // A batch of notifications alone wants none.
    if replies.is_empty() { Reply::Nothing } else { Reply::Message(StatusCode::OK, Value::Array(replies)) }
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

/// Replies to one message; `None` if it wants no reply.
async fn reply_to(server: &Server, parts: Parts, message: Value) -> Option<Value> {
    let id = id::in_message(&message);
    let wrong = |problem: String| Some(protocol::failed(&id, &ErrorData::new(INVALID_REQUEST, problem)));
    if message["method"] == "initialize" {
        return wrong("initialize must not be part of a batch; send it alone, and first".to_owned());
    }
    match server.reply(parts, message).await {
        Reply::Nothing => None,
        Reply::Message(_, reply) => Some(reply),
        Reply::Text(_, problem) => wrong(problem),
    }
}
