//! Tests the calls of browsers: gRPC-Web over HTTP/1.1, preflights, and pages that may not call.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test")]

use crate::common::{Served, USER, create, draft};
use bytes::{Buf as _, Bytes};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use kimberly_core::settings::ServerDefaults;
use kimberly_proto::v1;
use kimberly_runtime::config::{self, ApiConfig, Config, LimitsConfig};
use prost::Message;
use tokio::net::TcpStream;

const CREATE: &str = "/kimberly.v1.MemoryService/CreateMemory";
const GET: &str = "/kimberly.v1.MemoryService/GetMemory";
const APP: &str = "https://app.example.com";

/// Writes a message as a gRPC frame.
fn frame(message: &impl Message) -> Bytes {
    let message = message.encode_to_vec();
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[0][..], &length, &message].concat().into()
}

/// Sends a request as a browser does, over its own connection.
async fn send(
    served: &Served,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: Bytes,
) -> Response<Incoming> {
    let stream = TcpStream::connect(served.address).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let mut request = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| *name == "host") {
        request = request.header("host", served.address.to_string());
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    sender.send_request(request.body(Full::new(body)).unwrap()).await.unwrap()
}

/// Makes a call over gRPC-Web.
async fn call(served: &Served, path: &str, more: &[(&str, &str)], message: &impl Message) -> Response<Incoming> {
    let headers = [&[("content-type", "application/grpc-web+proto"), ("x-grpc-web", "1")], more].concat();
    send(served, Method::POST, path, &headers, frame(message)).await
}

/// Returns the first message of a response and its status, from the trailers or, if there is no body, the headers.
async fn read<M: Message + Default>(response: Response<Incoming>) -> (Option<M>, String) {
    assert_eq!(response.status(), StatusCode::OK);
    let in_headers = response.headers().get("grpc-status").map(|status| status.to_str().unwrap().to_owned());
    let mut body = response.into_body().collect().await.unwrap().to_bytes();
    let (mut message, mut ended) = (None, in_headers);
    while body.has_remaining() {
        let (flags, length) = (body.get_u8(), body.get_u32() as usize);
        let part = body.split_to(length);
        if flags & 0x80 == 0 {
            message.get_or_insert_with(|| M::decode(part).unwrap());
        } else {
            let trailers = String::from_utf8(part.to_vec()).unwrap().to_lowercase();
            let status = trailers.lines().find_map(|line| line.strip_prefix("grpc-status:"));
            ended = Some(status.unwrap().trim().to_owned());
        }
    }
    (message, ended.unwrap())
}

async fn open_to_the_app() -> Served {
    let api = ApiConfig { cors_allowed_origins: vec![APP.to_owned()], ..ApiConfig::default() };
    Served::with(ServerDefaults::default(), api).await
}

fn has_cors(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| name.as_str().starts_with("access-control-"))
}

#[tokio::test]
async fn unary_calls_work_over_grpc_web_and_their_failures_arrive() {
    let served = Served::start().await;
    let request = create(draft("from a browser"));
    let (created, status) = read::<v1::CreateMemoryResponse>(call(&served, CREATE, &[], &request).await).await;
    assert_eq!(status, "0");
    let id = created.unwrap().receipt.unwrap().id;
    assert_eq!(served.get(&id).await.unwrap().content, "from a browser");
    let missing = v1::GetMemoryRequest {
        user_id: USER.to_owned(),
        id: id.replace(|_| true, "0"),
        explain: false,
        ..Default::default()
    };
    let (none, status) = read::<v1::GetMemoryResponse>(call(&served, GET, &[], &missing).await).await;
    assert!(none.is_none() && matches!(status.as_str(), "3" | "5"), "{status}");
}

#[tokio::test]
async fn streams_of_answers_work_over_grpc_web() {
    let served = Served::start().await;
    served.remember("something to meditate on").await;
    let run = v1::MeditateRequest { user_id: USER.to_owned(), ..Default::default() };
    let id = served.meditations().meditate(run).await.unwrap().into_inner().meditation.unwrap().id;
    let request = v1::WatchMeditationRequest { user_id: USER.to_owned(), id };
    let stream = call(&served, "/kimberly.v1.MeditationService/WatchMeditation", &[], &request).await;
    // No worker executes the run, so the stream lasts until the server stops.
    served.api.stop.cancel();
    let (first, status) = read::<v1::WatchMeditationResponse>(stream).await;
    assert!(first.unwrap().event.is_some());
    assert_eq!(status, "14", "UNAVAILABLE: watch again");
}

#[tokio::test]
async fn refusals_of_the_server_arrive_over_grpc_web_too() {
    let limits = LimitsConfig { credential_calls_per_second: 0.01, credential_burst: 1, ..LimitsConfig::default() };
    let served = Served::configured(ServerDefaults::default(), Config { limits, ..Config::default() }).await;
    let request = create(draft("x"));
    assert_eq!(read::<v1::CreateMemoryResponse>(call(&served, CREATE, &[], &request).await).await.1, "0");
    let refused = call(&served, CREATE, &[], &request).await;
    assert_eq!(refused.headers()["content-type"], "application/grpc-web+proto");
    assert_eq!(read::<v1::CreateMemoryResponse>(refused).await.1, "8", "RESOURCE_EXHAUSTED");
}

#[tokio::test]
async fn allowed_page_may_ask_and_call_and_read_how_it_ended() {
    let served = open_to_the_app().await;
    let asks = [
        ("origin", APP),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type,x-grpc-web,authorization"),
    ];
    let preflight = send(&served, Method::OPTIONS, CREATE, &asks, Bytes::new()).await;
    assert_eq!(
        (preflight.status(), preflight.headers()["access-control-allow-origin"].as_bytes()),
        (StatusCode::OK, APP.as_bytes())
    );
    assert_eq!(preflight.headers()["access-control-allow-headers"], "content-type,x-grpc-web,authorization");
    let answer = call(&served, CREATE, &[("origin", APP)], &create(draft("x"))).await;
    assert_eq!(answer.headers()["access-control-allow-origin"], APP);
    let exposed = answer.headers()["access-control-expose-headers"].to_str().unwrap().to_owned();
    for header in ["grpc-status", "grpc-message", "grpc-status-details-bin"] {
        assert!(exposed.contains(header), "{header} is not in {exposed}");
    }
    assert_eq!(read::<v1::CreateMemoryResponse>(answer).await.1, "0");
}

#[tokio::test]
async fn without_allowed_origins_there_are_no_cors_headers() {
    let served = Served::start().await;
    let own = format!("http://{}", served.address);
    let answer = call(&served, CREATE, &[("origin", &own)], &create(draft("x"))).await;
    assert!(!has_cors(answer.headers()), "{:?}", answer.headers());
    assert_eq!(read::<v1::CreateMemoryResponse>(answer).await.1, "0", "the server's own pages need none");
}

#[tokio::test]
async fn foreign_pages_are_refused_before_anything_is_done() {
    for served in [Served::start().await, open_to_the_app().await] {
        let asks = [("origin", "https://evil.example.com"), ("access-control-request-method", "POST")];
        let preflight = send(&served, Method::OPTIONS, CREATE, &asks, Bytes::new()).await;
        assert_eq!(preflight.status(), StatusCode::FORBIDDEN);
        assert!(!has_cors(preflight.headers()));
        let foreign: [&[(&str, &str)]; 4] = [
            &[("origin", "https://evil.example.com")],
            &[("origin", "null")],
            &[("sec-fetch-site", "cross-site")],
            &[("host", "evil.example.com:7420")],
        ];
        for headers in foreign {
            let refused = call(&served, CREATE, headers, &create(draft("planted"))).await;
            assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{headers:?}");
            let said = refused.into_body().collect().await.unwrap().to_bytes();
            let said: serde_json::Value = serde_json::from_slice(&said).unwrap();
            assert_eq!(
                (said["code"].as_i64(), said["details"][0]["reason"].as_str()),
                (Some(7), Some("FOREIGN_ORIGIN"))
            );
        }
        let listed = v1::ListMemoriesRequest { user_id: USER.to_owned(), ..Default::default() };
        assert!(served.memories().list_memories(listed).await.unwrap().into_inner().memories.is_empty());
    }
}

#[tokio::test]
async fn page_that_sends_more_than_the_server_may_hold_is_asked_to_retry() {
    let api = ApiConfig {
        max_request_bytes: config::Bytes(64 << 10),
        max_held_bytes: config::Bytes(64 << 10),
        ..ApiConfig::default()
    };
    let served = Served::with(ServerDefaults::default(), api).await;
    // In base64: the beginning of a frame of 60 KiB. As text it has more than 64 KiB.
    let body = format!("AAAA8AAA{}", "A".repeat(65_640));
    let headers = [("content-type", "application/grpc-web-text+proto"), ("x-grpc-web", "1")];
    let refused = send(&served, Method::POST, CREATE, &headers, body.into()).await;
    assert_eq!(read::<v1::CreateMemoryResponse>(refused).await.1, "8");
}
