//! Tests of the room for requests.

use http::HeaderValue;
use http::header::CONTENT_TYPE;
use tower::{ServiceExt as _, service_fn};

use crate::connections::ConnectionNumber;

use super::*;

fn room(most: usize, most_bytes: u64) -> Arc<Room> {
    let config = ApiConfig {
        max_concurrent_requests: most,
        max_held_bytes: kimberly_runtime::config::Bytes(most_bytes),
        ..ApiConfig::default()
    };
    Room::new(&config, Metrics::detached())
}

fn request(encoding: &str) -> http::Request<()> {
    compressed(ENCODING, encoding)
}

/// Creates a request over the connection with this number.
fn over(connection: u64) -> http::Request<()> {
    let mut request = request("identity");
    request.extensions_mut().insert(ConnectionNumber(connection));
    request
}

fn compressed(header: HeaderName, encoding: &str) -> http::Request<()> {
    http::Request::builder().header(header, encoding).body(()).unwrap()
}

#[test]
fn requests_are_bounded_in_number_and_bytes_and_give_both_back() {
    let room = room(2, 300);
    let first = room.take(&over(1)).unwrap();
    let second = room.take(&over(2)).unwrap();
    assert!(room.take(&over(3)).is_none());
    assert!(first.grow(60).is_ok() && second.grow(40).is_ok());
    assert!(second.grow(1).is_err() && second.grow(1).is_err());
    let counted = room.metrics.snapshot().into_iter().filter(|(name, _)| name.starts_with("grpc.refused"));
    assert_eq!(counted.map(|(_, count)| count).collect::<Vec<_>>(), [1.0, 1.0], "a request is counted once");
    drop(first);
    assert!(second.grow(1).is_ok());
    assert_eq!(room.taken(), (1, 123));
    drop(second);
    assert_eq!(room.taken(), (0, 0));
}

#[test]
fn a_stream_takes_room_for_what_it_gathers_alone() {
    let room = room(2, 300);
    let request = room.take(&over(1)).unwrap();
    let stream = request.of_stream();
    drop(request);
    assert!(stream.grow(40).is_ok() && stream.grow(40).is_err());
    assert_eq!(room.taken(), (0, 120));
    stream.shrink(30);
    assert_eq!(room.taken(), (0, 30));
    drop(stream);
    assert_eq!(room.taken(), (0, 0));
}

#[test]
fn caller_with_many_requests_leaves_room_for_another() {
    let room = room(6, 300);
    let held: Vec<_> = (0..6).filter_map(|_| room.take(&over(1))).collect();
    assert_eq!(held.len(), 2, "a third of all");
    assert!(room.take(&over(2)).is_some());
    assert!(held[0].grow(50).is_ok() && held[1].grow(1).is_err(), "half of all bytes are one caller's");
    assert!(room.take(&over(2)).unwrap().grow(50).is_ok());
}

#[test]
fn compressed_message_takes_room_for_what_it_is() {
    let room = room(2, 300);
    let message = "x".repeat(200);
    for header in [ENCODING, CONTENT_ENCODING] {
        assert!(room.take(&compressed(header.clone(), "gzip")).unwrap().unpacked(&message).is_err(), "{header}");
    }
    assert!(room.take(&request("identity")).unwrap().unpacked(&message).is_ok(), "counted when it was read");
    assert!(room.take(&request("gzip")).unwrap().unpacked(&"x".repeat(50)).is_ok());
    assert_eq!(room.taken(), (0, 0));
}

#[tokio::test]
async fn call_without_room_is_refused_in_its_own_dialect() {
    let config = ApiConfig { max_concurrent_requests: 1, ..ApiConfig::default() };
    let layer = RoomLayer::new(&config, Metrics::detached());
    let held = layer.room.take(&request("identity")).unwrap();
    let call = async |path: &str, dialect: &str| {
        let inner = service_fn(async |_: http::Request<Body>| Ok::<_, Infallible>(http::Response::new(Body::empty())));
        let request = http::Request::builder().uri(path).header(CONTENT_TYPE, dialect).body(Body::empty()).unwrap();
        layer.layer(inner).oneshot(request).await.unwrap()
    };
    let path = "/kimberly.v1.MemoryService/GetMemory";
    for dialect in ["application/grpc", "application/grpc+proto", "application/grpc-web+proto"] {
        let refused = call(path, dialect).await;
        assert_eq!((refused.status(), refused.headers()[CONTENT_TYPE].to_str().unwrap()), (StatusCode::OK, dialect));
        assert_eq!(refused.headers()["grpc-status"], "8");
    }
    let (json, soon) = (HeaderValue::from_static("application/json"), HeaderValue::from_static("1"));
    let refused = call("/memory", "application/json").await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!((&refused.headers()[CONTENT_TYPE], &refused.headers()["retry-after"]), (&json, &soon));
    assert!(!call("/grpc.health.v1.Health/Check", "application/grpc").await.headers().contains_key("grpc-status"));
    for told in ["/v1/server", "/openapi.json"] {
        assert_eq!(call(told, "").await.status(), StatusCode::OK, "{told} is always served");
    }
    drop(held);
    assert_eq!(call("/memory", "application/json").await.status(), StatusCode::OK);
    assert_eq!(layer.room.taken(), (0, 0), "an answered request gives its room back");
}
