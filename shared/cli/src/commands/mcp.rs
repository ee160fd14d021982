//! `kimberly mcp`: tools for assistants over stdin and stdout, for assistants that start their own programs. Sends each
//! line to `/mcp` of a running Kimberly and prints the answer. Stdout carries only the protocol.

use std::io::{self, BufRead as _};
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::BodyExt as _;
use kimberly_core::bounds::TOOL_PROFILES;
use kimberly_transcode::mended;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tonic::body::Body;
use tonic::codegen::http::{HeaderValue, Request};
use tower::ServiceExt as _;

use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::output;

/// The server's path for messages.
const PATH: &str = "/mcp";
/// The member in which messages of newer protocol versions state their version.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The JSON-RPC error code for transport errors.
const SERVER_ERROR: i32 = -32_000;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The tools to offer
    // Refused here, before an assistant talks to a program that refuses every message.
    #[arg(long, default_value = TOOL_PROFILES[0], value_name = "PROFILE", value_parser = TOOL_PROFILES)]
    profile: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let query = [("user_id", context.user.as_str()), ("profile", self.profile.as_str())];
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
        let (server, version) = (context.server.clone(), Mutex::default());
        let way = Arc::new(Way { client, server, target: format!("{PATH}?{query}"), version });
        let mut lines = lines();
        let mut running: JoinSet<CliResult> = JoinSet::new();
        loop {
            tokio::select! {
                line = lines.recv() => match line.transpose()? {
                    Some(line) if line.trim_ascii().is_empty() => {}
                    Some(line) => {
                        let way = Arc::clone(&way);
                        running.spawn(async move { way.pass(line).await });
                    }
                    None => break,
                },
                Some(ended) = running.join_next() => ended.unwrap_or_else(|error| Err(broken(&error)))?,
            }
        }
        while let Some(ended) = running.join_next().await {
            ended.unwrap_or_else(|error| Err(broken(&error)))?;
        }
        Ok(())
    }
}

/// The lines of stdin, read by a thread, since waiting for the next one may take forever.
fn lines() -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut lines = io::stdin().lock().split(b'\n');
        while lines.next().is_some_and(|line| sender.blocking_send(line).is_ok()) {}
    });
    receiver
}

fn broken(error: &tokio::task::JoinError) -> CliError {
    CliError::failed(format!("forwarding a message failed: {error}"))
}

/// The connection to the server.
struct Way {
    client: Client,
    server: String,
    target: String,
    /// The negotiated protocol version, once known.
    version: Mutex<Option<String>>,
}

impl Way {
    /// Forwards a message, and prints the answer if there is one.
    async fn pass(&self, line: Vec<u8>) -> CliResult {
        let line = mended(&line).into_owned();
        let message: Option<Value> = serde_json::from_slice(&line).ok();
        let read = message.is_some();
        let message = message.unwrap_or_default();
        let answer = match self.answer(line, &message).await {
            Ok(answer) => answer,
            Err(problem) => failed(&message, read, &problem),
        };
        let Some(answer) = answer else { return Ok(()) };
        if message["method"] == "initialize" {
            let agreed = answer["result"]["protocolVersion"].as_str().map(str::to_owned);
            *self.version.lock().unwrap_or_else(PoisonError::into_inner) = agreed;
        }
        output::print(&answer.to_string())
    }

    /// The server's answer; `None` for notifications.
    async fn answer(&self, line: Vec<u8>, message: &Value) -> Result<Option<Value>, String> {
        let unreachable =
            |error: &dyn std::error::Error| CliError::unreachable(&self.server, error).message().to_owned();
        let request = self.request(line, message)?;
        let answer = self.client.wire().oneshot(request).await.map_err(|error| unreachable(&error))?;
        let status = answer.status();
        let body = answer.into_body().collect().await.map_err(|error| unreachable(&error))?.to_bytes();
        if body.is_empty() && status.is_success() {
            return Ok(None);
        }
        match serde_json::from_slice::<Value>(&body) {
            Ok(answer) if answer.is_array() || answer.get("jsonrpc").is_some() => Ok(Some(answer)),
            Ok(refused) if refused["message"].is_string() => {
                Err(refused["message"].as_str().unwrap_or_default().to_owned())
            }
            _ => Err(format!("{} answered {status}: {}", self.server, String::from_utf8_lossy(&body))),
        }
    }

    fn request(&self, line: Vec<u8>, message: &Value) -> Result<Request<Body>, String> {
        let agreed = || self.version.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let params = &message["params"];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let headers = [
            ("mcp-protocol-version", text(&params["_meta"][VERSION]).or_else(agreed)),
            ("mcp-method", text(&message["method"])),
            ("mcp-name", text(&params["name"]).or_else(|| text(&params["uri"]))),
        ];
        let request = Request::post(&self.target)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        let headers =
            headers.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_str(&value?).ok()?)));
        let request = headers.fold(request, |request, (name, value)| request.header(name, value));
        request.body(Body::new(http_body_util::Full::from(line))).map_err(|error| error.to_string())
    }
}

/// The answer to a message that did not reach the server: to each request of a batch, none to notifications. A message
/// that cannot be read may be a request.
fn failed(message: &Value, read: bool, problem: &str) -> Option<Value> {
    let error = |id: &Value| json!({"jsonrpc": "2.0", "id": id, "error": {"code": SERVER_ERROR, "message": problem}});
    match message {
        Value::Array(batch) => {
            let errors: Vec<Value> = batch.iter().filter_map(|one| one.get("id").map(error)).collect();
            (!errors.is_empty()).then_some(Value::Array(errors))
        }
        _ if !read => Some(error(&Value::Null)),
        one => one.get("id").map(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_that_did_not_arrive_is_answered() {
        let ids = |message: &str| {
            let read = serde_json::from_str::<Value>(message);
            let answer = failed(&read.as_ref().cloned().unwrap_or_default(), read.is_ok(), "gone")?;
            Some(
                answer
                    .as_array()
                    .map_or_else(|| answer["id"].clone(), |all| all.iter().map(|one| one["id"].clone()).collect()),
            )
        };
        assert_eq!(ids(r#"{"id": 1, "method": "ping"}"#), Some(json!(1)));
        assert_eq!(ids(r#"{"method": "notifications/initialized"}"#), None);
        assert_eq!(ids(r#"[{"id": 1}, {"method": "x"}, {"id": "b"}]"#), Some(json!([1, "b"])));
        assert_eq!(ids(r#"[{"method": "x"}]"#), None);
        assert_eq!(ids("nonsense"), Some(Value::Null));
    }
}
