//! Tests of transcoding, against an echo service.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod bodies;
mod document;
mod errors;
mod mapping;
mod routes;
mod streams;

use std::convert::Infallible;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody};
use kimberly_transcode::{Options, Refusal, Transcode, TranscodeLayer, Transcoder};
use serde_json::Value;
use tonic::Status;
use tonic::body::Body;
use tower::{Layer as _, ServiceExt as _, service_fn};

/// A contract with all kinds of values.
const PROTO: &str = include_str!("things.proto");

/// Compiles the descriptor set of a contract and Google's protos.
fn descriptors(proto: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("things.proto"), proto).unwrap();
    let google = concat!(env!("CARGO_MANIFEST_DIR"), "/../../proto");
    let mut compiler = protox::Compiler::new([folder.path().to_str().unwrap(), google]).unwrap();
    compiler.include_imports(true).include_source_info(true);
    compiler.open_files(["things.proto", "google/rpc/status.proto", "google/rpc/error_details.proto"]).unwrap();
    compiler.encode_file_descriptor_set()
}

/// Converts a refusal to a status.
fn refuse(refusal: &Refusal) -> Status {
    match refusal {
        Refusal::Defect { problem } => Status::internal(problem.clone()),
        other => Status::invalid_argument(format!("{other:?}")),
    }
}

fn transcoder(change: impl FnOnce(&mut Options)) -> Transcoder {
    let mut options = Options::new(refuse);
    change(&mut options);
    Transcoder::new(&descriptors(PROTO), options).unwrap()
}

type Served = Transcode<tower::util::BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>>;

/// Returns the echo service behind the layer.
fn served(change: impl FnOnce(&mut Options)) -> Served {
    let echo = tower::util::BoxCloneSyncService::new(service_fn(async |request| Ok(echo(request).await)));
    TranscodeLayer::new(transcoder(change)).layer(echo)
}

/// Echoes the request, in the way that the rpc's name implies.
async fn echo(request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    assert_eq!(parts.headers["content-type"], "application/grpc");
    let frame = body.collect().await.unwrap().to_bytes();
    match parts.uri.path() {
        "/things.v1.Things/Fail" => failing(&frame),
        "/things.v1.Things/Panic" => panic!("a defect"),
        "/things.v1.Things/Watch" => streaming(&frame),
        _ => {
            let mut answer = streamed([Ok(Frame::data(frame)), Ok(Frame::trailers(trailers(0)))]);
            for (name, value) in parts.headers.iter().filter(|(name, _)| name.as_str() != "content-type") {
                answer.headers_mut().insert(http::HeaderName::try_from(format!("seen-{name}")).unwrap(), value.clone());
            }
            answer
        }
    }
}

fn failing(frame: &Bytes) -> Response<Body> {
    use tonic_types::{ErrorDetails, StatusExt as _};
    // The first field of the message is a string whose length is the code.
    let code = tonic::Code::from_i32(i32::from(frame.get(6).copied().unwrap_or(0)));
    let mut details = ErrorDetails::with_error_info("REASON", "things.v1", [("key".to_owned(), "value".to_owned())]);
    details.set_retry_info(Some(std::time::Duration::from_millis(1_200)));
    Status::with_error_details(code, "it failed", details).into_http()
}

/// Streams the message twice, then an error if its text ends in "fail".
fn streaming(frame: &Bytes) -> Response<Body> {
    let code = if frame.ends_with(b"fail") { 10 } else { 0 };
    // Split within a frame, as happens on networks.
    let twice = Bytes::from([frame.as_ref(), frame.as_ref()].concat());
    let middle = frame.len() + 3;
    let pieces = [twice.slice(..middle), twice.slice(middle..)].map(|piece| Ok(Frame::data(piece)));
    streamed(pieces.into_iter().chain([Ok(Frame::trailers(trailers(code)))]).collect::<Vec<_>>())
}

fn trailers(code: i32) -> http::HeaderMap {
    let said = [("grpc-status", code.to_string()), ("grpc-message", "broke%20off".to_owned())];
    said.into_iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
}

fn streamed<I>(frames: I) -> Response<Body>
where
    I: IntoIterator<Item = Result<Frame<Bytes>, Status>>,
    I::IntoIter: Send + 'static,
{
    let mut answer = Response::new(Body::new(StreamBody::new(futures::stream::iter(frames))));
    answer.headers_mut().insert("content-type", "application/grpc".parse().unwrap());
    answer
}

/// Creates a request with a JSON body, or without a body.
fn request(method: &str, path: &str, body: &str) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    if !body.is_empty() {
        request = request.header("content-type", "application/json");
    }
    request.body(Body::new(Full::from(body.to_owned()))).unwrap()
}

async fn send(request: Request<Body>) -> (StatusCode, http::HeaderMap, Bytes) {
    send_to(served(|_| {}), request).await
}

async fn send_to(service: Served, request: Request<Body>) -> (StatusCode, http::HeaderMap, Bytes) {
    let answer = service.oneshot(request).await.unwrap();
    let (parts, body) = answer.into_parts();
    (parts.status, parts.headers, body.collect().await.unwrap().to_bytes())
}

/// Calls the service and returns the status and the JSON of the response.
async fn call(method: &str, path: &str, body: &str) -> (u16, Value) {
    let (status, headers, body) = send(request(method, path, body)).await;
    assert_eq!(headers["content-type"], "application/json");
    (status.as_u16(), serde_json::from_slice(&body).unwrap())
}

/// Calls the service and returns the status and message of the refusal.
async fn refused(method: &str, path: &str, body: &str) -> (u16, String) {
    let (status, answer) = call(method, path, body).await;
    assert!(status >= 400, "{method} {path} {body} was taken: {answer}");
    (status, answer["message"].as_str().unwrap().to_owned())
}
