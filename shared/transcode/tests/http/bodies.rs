//! Bodies: content types, encodings and bounds.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use http::Request;
use http_body_util::{Full, StreamBody};
use tonic::body::Body;

use super::{call, refused, request, send, send_to, served};

fn of_type(kind: &str, body: &str) -> Request<Body> {
    let mut made = request("POST", "/things", body);
    made.headers_mut().insert("content-type", kind.parse().unwrap());
    made
}

#[tokio::test]
async fn bodies_must_say_that_they_are_json() {
    for kind in ["application/json", "Application/JSON; charset=UTF-8", "application/json;charset=\"utf-8\""] {
        assert_eq!(send(of_type(kind, "{}")).await.0, 200, "{kind}");
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "json"] {
        assert_eq!(send(of_type(kind, "{}")).await.0, 415, "{kind}");
    }
    let mut silent = request("POST", "/things", "{}");
    silent.headers_mut().remove("content-type");
    assert_eq!(send(silent).await.0, 415);
}

#[tokio::test]
async fn page_of_another_origin_cannot_write_without_being_asked_about() {
    let from_a_page = |method: &str, body: &str| {
        let mut made = request(method, "/things?name=x", body);
        made.headers_mut().insert("origin", "https://evil.example".parse().unwrap());
        made
    };
    assert_eq!(send(from_a_page("POST", "")).await.0, 415, "browsers send this without a preflight");
    assert_eq!(send(from_a_page("POST", "{}")).await.0, 200, "browsers send a preflight before this");
    assert_eq!(send(from_a_page("GET", "")).await.0, 200);
}

#[tokio::test]
async fn bodies_where_none_belongs_are_refused() {
    assert_eq!(refused("GET", "/things", "{}").await.0, 400);
}

#[tokio::test]
async fn size_and_number_of_values_are_bounded() {
    let small = || served(|options| options.max_body_bytes = 50);
    let of_length = |bytes: usize| format!("{{\"name\": \"{}\"}}", "x".repeat(bytes - 12));
    assert_eq!(send_to(small(), request("POST", "/things", &of_length(50))).await.0, 200);
    assert_eq!(send_to(small(), request("POST", "/things", &of_length(51))).await.0, 413);
    let numbers = |count: usize| format!("{{\"free\": {{\"a\": [1{}]}}}}", ",1".repeat(count - 1));
    assert_eq!(send_to(small(), request("POST", "/things", &numbers(1))).await.0, 200);
    assert_eq!(
        send_to(small(), request("POST", "/things", &numbers(10))).await.0,
        413,
        "short as JSON, long as a message"
    );
    let mut announced = request("POST", "/things", "{}");
    announced.headers_mut().insert("content-length", "99999999999999999999".parse().unwrap());
    assert_eq!(send_to(small(), announced).await.0, 200, "an unparsable length is ignored");
    let few = || served(|options| options.max_values = 5);
    assert_eq!(send_to(few(), request("POST", "/things", r#"{"tags": ["a,b", "c", "d"]}"#)).await.0, 200);
    assert_eq!(send_to(few(), request("POST", "/things", r#"{"tags": ["a", "b", "c", "d"]}"#)).await.0, 413);
    let deep = format!("{{\"free\": {{\"a\": {}{}}}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(call("POST", "/things", &deep).await.0, 400, "depth is bounded");
}

#[tokio::test]
async fn gzip_is_read_and_written_and_bombs_are_not() {
    let packed = |plain: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(plain).unwrap();
        packer.finish().unwrap()
    };
    let gzip = |bytes: Vec<u8>, encoding: &str| {
        let mut made = request("POST", "/things", "").map(|_| Body::new(Full::from(bytes)));
        made.headers_mut().insert("content-type", "application/json".parse().unwrap());
        made.headers_mut().insert("content-encoding", encoding.parse().unwrap());
        made.headers_mut().insert("accept-encoding", "gzip".parse().unwrap());
        made
    };
    let long = format!("{{\"name\": \"{}\"}}", "long ".repeat(10_000));
    let (status, headers, body) = send(gzip(packed(long.as_bytes()), "gzip")).await;
    assert_eq!((status.as_u16(), headers["content-encoding"].as_bytes()), (200, b"gzip".as_slice()));
    let mut plain = String::new();
    flate2::read::GzDecoder::new(body.as_ref()).read_to_string(&mut plain).unwrap();
    assert!(plain.contains("long long"));
    let (_, headers, _) = send(gzip(packed(b"{}"), "gzip")).await;
    assert!(!headers.contains_key("content-encoding"), "short responses are not compressed");
    let bomb = packed(&vec![b' '; 20 << 20]);
    assert!(bomb.len() < 100_000);
    assert_eq!(send(gzip(bomb, "gzip")).await.0, 413);
    assert_eq!(send(gzip(b"{}".to_vec(), "gzip")).await.0, 400);
    assert_eq!(send(gzip(b"{}".to_vec(), "br")).await.0, 415);
}

#[tokio::test]
async fn body_that_never_arrives_is_not_waited_for_for_ever() {
    let silent = StreamBody::new(futures::stream::pending::<Result<http_body::Frame<bytes::Bytes>, tonic::Status>>());
    let made = request("POST", "/things", "").map(|_| Body::new(silent));
    let slow = served(|options| options.body_timeout = Duration::from_millis(20));
    assert_eq!(send_to(slow, made).await.0, 408);
}

#[tokio::test]
async fn bytes_that_are_not_utf_8_are_refused() {
    let made = request("POST", "/things", "{}").map(|_| Body::new(Full::from(b"{\"name\": \"\xff\"}".to_vec())));
    assert_eq!(send(made).await.0, 400);
}
