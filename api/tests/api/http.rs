//! JSON over HTTP/1.1 and h2c on the port of gRPC: the contract's paths, the OpenAPI document, and what passes through
//! the layers of every call.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

use std::collections::BTreeSet;
use std::time::Duration;

use crate::common::{Served, USER};
use kimberly_core::settings::ServerDefaults;
use kimberly_runtime::config::{ApiConfig, Bytes, Config};
use prost::Message as _;
use prost_types::FileDescriptorSet;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tower::ServiceExt as _;

/// A response over HTTP/1.1: status, head in lower case, and body.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Returns the reason in the `ErrorInfo`.
    pub(crate) fn reason(&self) -> String {
        let details = self.json()["details"].as_array().unwrap().clone();
        let info = details.iter().find(|detail| detail["@type"].as_str().unwrap().ends_with("google.rpc.ErrorInfo"));
        info.unwrap()["reason"].as_str().unwrap().to_owned()
    }
}

/// Sends one request as text and reads until the server closes.
pub(crate) async fn send(served: &Served, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    send_to(served, &served.address.to_string(), method, path, headers, body).await
}

/// Like [`send`], with another name of the server.
pub(crate) async fn send_to(
    served: &Served,
    host: &str,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> Answer {
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    answer(&mut stream).await
}

/// Reads a response until the server closes.
async fn answer(stream: &mut TcpStream) -> Answer {
    let mut raw = Vec::new();
    stream.read_to_end(&mut raw).await.unwrap();
    let text = String::from_utf8(raw).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let head = head.to_lowercase();
    let body = if head.contains("transfer-encoding: chunked") { unchunked(body) } else { body.to_owned() };
    Answer { status, head, body }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole.push_str(&rest[..size]);
        body = rest[size..].strip_prefix("\r\n").unwrap_or_default();
    }
    whole
}

pub(crate) async fn get(served: &Served, path: &str) -> Answer {
    send(served, "GET", path, "", "").await
}

pub(crate) async fn post(served: &Served, path: &str, body: &Value) -> Answer {
    send(served, "POST", path, "content-type: application/json\r\n", &body.to_string()).await
}

#[tokio::test]
async fn memories_are_written_read_listed_and_forgotten_as_json() {
    let served = Served::start().await;
    let draft = json!({"content": "Ana likes tea", "metadata": {"tags": ["tea"]}, "tier": "TIER_PERMANENT"});
    let made = post(&served, "/memory", &json!({"userId": USER, "memory": draft})).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let id = made.json()["receipt"]["id"].as_str().unwrap().to_owned();
    let same = post(&served, &format!("/v1/users/{USER}/memories?request_id=r"), &draft).await;
    assert_eq!(same.status, 200, "{}", same.body);

    let read = get(&served, &format!("/memory/{id}?user_id={USER}&explain=true")).await.json();
    assert_eq!(
        (&read["memory"]["content"], &read["memory"]["sizeBytes"].is_string()),
        (&json!("Ana likes tea"), &true)
    );
    assert_eq!(read["decisions"], json!([]));
    let listed = get(&served, &format!("/memory?user_id={USER}&filter.tags_any=tea&page_size=1")).await.json();
    assert_eq!(listed["memories"].as_array().unwrap().len(), 1);
    let token = listed["nextPageToken"].as_str().unwrap();
    let rest = get(&served, &format!("/memory?userId={USER}&filter.tagsAny=tea&pageSize=1&pageToken={token}")).await;
    assert_eq!(rest.json()["memories"][0]["id"], id.as_str(), "{}", rest.body);

    let found = post(&served, "/memory/query", &json!({"user_id": USER, "query": "tea", "top_k": 1})).await.json();
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    let gone = send(&served, "DELETE", &format!("/v1/users/{USER}/memories/{id}"), "", "").await;
    assert_eq!(gone.json()["receipt"]["state"], "MEMORY_STATE_DELETED");
}

#[tokio::test]
async fn failures_have_the_status_and_the_reason_that_grpc_has() {
    let served = Served::start().await;
    let id = served.remember("something").await.id;
    let path = format!("/v1/users/{USER}/memories/{id}?update_mask=speaker&etag=999");
    let stale = send(&served, "PATCH", &path, "content-type: application/json\r\n", r#"{"speaker": "Ana"}"#).await;
    assert_eq!(
        (stale.status, stale.json()["code"].as_i64(), stale.reason().as_str()),
        (409, Some(10), "ETAG_MISMATCH")
    );
    let missing = get(&served, "/memory/mem_00000000-0000-7000-8000-000000000000?user_id=ada").await;
    assert_eq!((missing.status, missing.reason().as_str()), (404, "MEMORY_NOT_FOUND"));
    let wrong = get(&served, "/memory?user_id=ada&page_size=1001").await;
    assert_eq!((wrong.status, wrong.reason().as_str()), (400, "INVALID_FIELD"));
    assert!(wrong.body.contains("\"field\":\"page_size\""), "{}", wrong.body);
    let no_json = send(&served, "POST", "/memory", "content-type: application/json\r\n", "{\"userId\": }").await;
    assert_eq!((no_json.status, no_json.reason().as_str()), (400, "INVALID_JSON"));
    assert!(no_json.body.contains("line 1 column 12"), "{}", no_json.body);
    let form = send(&served, "POST", "/memory", "content-type: application/x-www-form-urlencoded\r\n", "a=b").await;
    assert_eq!((form.status, form.reason().as_str()), (415, "INVALID_JSON"));
    let nowhere = get(&served, "/nowhere").await;
    assert_eq!((nowhere.status, nowhere.reason().as_str()), (404, "NO_SUCH_METHOD"));
    let put = send(&served, "PUT", "/memory", "", "").await;
    assert_eq!((put.status, put.reason().as_str()), (405, "NO_SUCH_METHOD"));
    assert!(put.head.contains("\r\nallow: post, get"), "{}", put.head);
}

#[tokio::test]
async fn body_above_the_limit_is_refused_and_the_server_serves_on() {
    let config = ApiConfig { max_request_bytes: Bytes(100_000), ..ApiConfig::default() };
    let served = Served::with(ServerDefaults::default(), config).await;
    let large = json!({"userId": USER, "memory": {"content": "x".repeat(100_000)}});
    let refused = post(&served, "/memory", &large).await;
    assert_eq!((refused.status, refused.reason().as_str()), (413, "REQUEST_TOO_LARGE"));
    assert_eq!(get(&served, "/v1/server").await.status, 200);
}

#[tokio::test]
async fn calls_pass_the_layers_of_grpc_calls() {
    let served = Served::start().await;
    let late = send(&served, "GET", "/memory?user_id=ada", "grpc-timeout: 1n\r\n", "").await;
    assert_eq!((late.status, late.reason().as_str()), (504, "DEADLINE_EXCEEDED"));
    let counted = || served.api.metrics.snapshot().into_iter().find(|(name, _)| name == "grpc.calls").map(|(_, n)| n);
    let before = counted();
    get(&served, "/v1/server").await;
    assert!(counted() > before, "the call was counted");
}

/// Returns the response to a request of which only the head is sent, so that it comes before the body is read.
async fn answer_to_head(served: &Served, headers: &str) -> Answer {
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let head = format!("POST /memory HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", served.address);
    let head = format!("{head}content-type: application/json\r\ncontent-length: 1000\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    answer(&mut stream).await
}

#[tokio::test]
async fn rate_of_a_credential_holds_before_the_body_is_read() {
    let mut config = Config::default();
    (config.limits.credential_calls_per_second, config.limits.credential_burst) = (0.01, 1);
    let served = Served::configured(ServerDefaults::default(), config).await;
    assert_eq!(get(&served, "/memory?user_id=ada").await.status, 200);
    let refused = answer_to_head(&served, "").await;
    assert_eq!((refused.status, refused.reason().as_str()), (429, "RATE_LIMITED"));
    assert!(refused.head.contains("\r\nretry-after: "), "{}", refused.head);
    assert_eq!(get(&served, "/v1/server").await.status, 200);
}

#[tokio::test]
async fn deadline_of_the_caller_begins_before_the_body_is_read() {
    let served = Served::start().await;
    let late = answer_to_head(&served, "grpc-timeout: 100m\r\n").await;
    assert_eq!((late.status, late.reason().as_str()), (504, "DEADLINE_EXCEEDED"));
}

#[tokio::test]
async fn meditation_is_watched_as_lines_and_as_events() {
    let served = Served::start().await;
    served.remember("something").await;
    let run = post(&served, &format!("/memory/meditate?user_id={USER}"), &json!({})).await.json();
    let id = run["meditation"]["id"].as_str().unwrap();
    // No worker runs here, so the deadline ends the watch.
    let path = format!("/v1/users/{USER}/meditations/{id}:watch");
    let lines = send(&served, "GET", &path, "grpc-timeout: 500m\r\n", "").await;
    assert_eq!(lines.status, 200);
    assert!(lines.head.contains("content-type: application/x-ndjson"), "{}", lines.head);
    let lines: Vec<Value> = lines.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["progress"]["id"], id);
    assert_eq!(lines.last().unwrap()["error"]["code"], 4);
    let events = send(&served, "GET", &path, "grpc-timeout: 500m\r\naccept: text/event-stream\r\n", "").await;
    assert!(events.head.contains("content-type: text/event-stream"), "{}", events.head);
    assert!(
        events.body.starts_with("data: {\"progress\"") && events.body.contains("\n\nevent: error\ndata: {\"error\"")
    );
    let missing = format!("/v1/users/{USER}/meditations/med_00000000-0000-7000-8000-000000000000:watch");
    assert_eq!(get(&served, &missing).await.status, 404);
}

#[tokio::test]
async fn client_that_goes_away_ends_its_stream() {
    let mut config = Config::default();
    config.limits.max_streams = 1;
    let served = Served::configured(ServerDefaults::default(), config).await;
    let run = post(&served, &format!("/memory/meditate?user_id={USER}"), &json!({})).await.json();
    let path = format!("/v1/users/{USER}/meditations/{}:watch", run["meditation"]["id"].as_str().unwrap());
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", served.address);
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut some = [0; 16];
    stream.read_exact(&mut some).await.unwrap();
    let another = async || send(&served, "GET", &path, "grpc-timeout: 100m\r\n", "").await;
    let refused = another().await;
    assert_eq!((refused.status, refused.reason().as_str()), (429, "OVERLOADED"));
    assert!(refused.head.contains("\r\nretry-after: 1"), "{}", refused.head);
    drop(stream);
    let ended = async { while another().await.status != 200 {} };
    tokio::time::timeout(Duration::from_secs(20), ended).await.expect("the stream ends");
}

#[tokio::test]
async fn json_is_served_over_http_2_without_tls_too() {
    let served = Served::start().await;
    let request = http::Request::builder()
        .uri(format!("http://{}/v1/server", served.address))
        .body(tonic::body::Body::empty())
        .unwrap();
    let answer = served.channel.clone().oneshot(request).await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.version()), (200, http::Version::HTTP_2));
    assert_eq!(answer.headers()["content-type"], "application/json");
}

/// Returns every rpc of the contract that JSON supports: all whose requests are not streams.
fn rpcs() -> Vec<String> {
    let set = FileDescriptorSet::decode(kimberly_proto::FILE_DESCRIPTOR_SET).unwrap();
    let ours = set.file.iter().filter(|file| file.package() == "kimberly.v1");
    let services = ours.flat_map(|file| &file.service);
    let methods = services.flat_map(|service| service.method.iter().map(move |method| (service, method)));
    let unary = methods.filter(|(_, method)| !method.client_streaming());
    unary.map(|(service, method)| format!("{}_{}", service.name(), method.name())).collect()
}

/// Reports whether this is the suffix of an rpc's name if it has more than one path.
fn is_suffix(rest: &str) -> bool {
    rest.bytes().all(|byte| byte == b'_' || byte.is_ascii_digit())
}

#[tokio::test]
async fn description_lists_every_rpc_of_the_contract() {
    let served = Served::start().await;
    let document = get(&served, "/openapi.json").await;
    assert_eq!(document.status, 200);
    let document = document.json();
    assert_eq!(document["openapi"], "3.1.0");
    for (path, method) in [
        ("/memory", "post"),
        ("/memory", "get"),
        ("/memory/{id}", "get"),
        ("/memory/{id}", "patch"),
        ("/memory/{id}", "delete"),
        ("/memory/query", "post"),
        ("/memory/meditate", "post"),
        ("/memory/metrics", "get"),
        ("/v1/users/{user_id}/goals/{id}", "patch"),
    ] {
        assert!(document["paths"][path][method].is_object(), "{method} {path}");
    }
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
    let described: BTreeSet<&str> = operations.map(|operation| operation["operationId"].as_str().unwrap()).collect();
    let rpcs = rpcs();
    assert!(rpcs.len() > 25, "{rpcs:?}");
    for rpc in &rpcs {
        assert!(described.contains(rpc.as_str()), "{rpc} is not in {described:?}");
    }
    for id in described {
        assert!(rpcs.iter().any(|rpc| id.strip_prefix(rpc.as_str()).is_some_and(is_suffix)), "no rpc has {id}");
    }
    let dry = document["paths"]["/memory/meditate"]["post"]["parameters"].as_array().unwrap();
    assert!(dry.iter().any(|parameter| parameter["name"] == "dry_run"));
}
