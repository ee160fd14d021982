//! How connections end: at their maximum age, beyond their maximum number, and when the server stops.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail their test")]

use std::time::Duration;

use crate::common::{Served, USER, create, draft, reason};
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use kimberly_core::settings::ServerDefaults;
use kimberly_proto::v1;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_runtime::config::{ApiConfig, Config, LimitsConfig, Period};
use prost::Message as _;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tonic::body::Body;
use tonic::transport::Endpoint;
use tonic::{Code, Status, Streaming};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};
use tower::{Service as _, ServiceExt as _};

/// Far longer than any wait in these tests.
const BOUND: Duration = Duration::from_secs(30);

async fn with(api: ApiConfig, limits: LimitsConfig) -> Served {
    Served::configured(ServerDefaults::default(), Config { api, limits, ..Config::default() }).await
}

/// Returns a stream over a run that no worker executes, after its first event.
async fn watched(served: &Served) -> Streaming<v1::WatchMeditationResponse> {
    served.remember("something to meditate on").await;
    let run = v1::MeditateRequest { user_id: USER.to_owned(), ..Default::default() };
    let id = served.meditations().meditate(run).await.unwrap().into_inner().meditation.unwrap().id;
    let request = v1::WatchMeditationRequest { user_id: USER.to_owned(), id };
    let mut stream = served.meditations().watch_meditation(request).await.unwrap().into_inner();
    assert!(stream.message().await.unwrap().is_some());
    stream
}

/// Returns the status with which a stream ends.
async fn end<M>(mut stream: Streaming<M>) -> Status {
    loop {
        match tokio::time::timeout(BOUND, stream.message()).await.expect("the stream ends") {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the stream ended well"),
            Err(status) => return status,
        }
    }
}

#[tokio::test]
async fn streams_over_a_connection_of_full_age_end_and_calls_go_on_over_another() {
    let api = ApiConfig { max_connection_age: Period::seconds(1), ..ApiConfig::default() };
    let served = with(api, LimitsConfig::default()).await;
    let told = end(watched(&served).await).await;
    let (code, name, _) = reason(&told);
    assert_eq!((code, name.as_str()), (Code::Unavailable, "SHUTTING_DOWN"));
    assert!(told.message().contains("retry on a new connection"), "{told:?}");
    served.remember("over another connection").await;
    watched(&served).await;
}

#[tokio::test]
async fn connection_that_outlives_its_age_and_grace_is_cut() {
    let api = ApiConfig {
        max_connection_age: Period::seconds(1),
        max_connection_age_grace: Period::seconds(0),
        ..ApiConfig::default()
    };
    let served = with(api, LimitsConfig::default()).await;
    // A call whose request never ends.
    let (first, _) = framed(&create(draft("only half of it is sent")));
    let pieces = futures::stream::once(async { Ok::<_, Status>(Frame::data(first)) }).chain(futures::stream::pending());
    let mut channel = served.channel.clone();
    let begun = channel.ready().await.unwrap().call(sent(Body::new(StreamBody::new(pieces))));
    let cut = tokio::time::timeout(BOUND, begun).await.expect("it is cut").map(|answer| answer.into_parts().0.headers);
    assert!(cut.as_ref().is_err() || cut.as_ref().is_ok_and(|headers| headers["grpc-status"] != "0"), "{cut:?}");
    served.remember("over another connection").await;
}

/// Starts a health watch and a reflection session.
async fn of_libraries(served: &Served) -> (Streaming<HealthCheckResponse>, Streaming<ServerReflectionResponse>) {
    let health = HealthClient::new(served.channel.clone()).watch(HealthCheckRequest::default()).await.unwrap();
    let mut health = health.into_inner();
    assert!(health.message().await.unwrap().is_some());
    let list = MessageRequest::ListServices(String::new());
    let list = ServerReflectionRequest { host: String::new(), message_request: Some(list) };
    let asked = futures::stream::once(async { list }).chain(futures::stream::pending());
    let reflection = ServerReflectionClient::new(served.channel.clone()).server_reflection_info(asked).await.unwrap();
    let mut reflection = reflection.into_inner();
    assert!(reflection.message().await.unwrap().is_some());
    (health, reflection)
}

#[tokio::test]
async fn streams_of_health_and_reflection_end_with_their_connection() {
    let api = ApiConfig { max_connection_age: Period::seconds(1), ..ApiConfig::default() };
    let served = with(api, LimitsConfig::default()).await;
    let (health, reflection) = of_libraries(&served).await;
    for told in [end(health).await, end(reflection).await] {
        let (code, name, _) = reason(&told);
        assert_eq!((code, name.as_str()), (Code::Unavailable, "SHUTTING_DOWN"));
        assert!(told.message().contains("retry on a new connection"), "{told:?}");
    }
}

#[tokio::test]
async fn server_that_stops_does_not_wait_for_streams_of_health_and_reflection() {
    let limits = LimitsConfig { shutdown_soft: Period::seconds(600), ..LimitsConfig::default() };
    let served = with(ApiConfig::default(), limits).await;
    let (health, reflection) = of_libraries(&served).await;
    served.api.stop.cancel();
    for told in [end(health).await, end(reflection).await] {
        assert_eq!(told.code(), Code::Unavailable);
        assert!(told.message().contains("stopping"), "{told:?}");
    }
    tokio::time::timeout(BOUND, served.serving).await.expect("the server ends").unwrap().unwrap();
}

#[tokio::test]
async fn connections_beyond_the_bound_are_closed_as_soon_as_they_are_made() {
    let served = with(ApiConfig { max_connections: 1, ..ApiConfig::default() }, LimitsConfig::default()).await;
    served.remember("over the only connection").await;
    let mut second = TcpStream::connect(served.address).await.unwrap();
    let read = tokio::time::timeout(BOUND, second.read(&mut [0; 1])).await.expect("it is closed");
    assert!(matches!(read, Ok(0) | Err(_)));
    served.remember("still served").await;
}

#[tokio::test]
async fn server_that_stops_ends_idle_and_watching_connections_without_waiting_for_its_bound() {
    let limits = LimitsConfig { shutdown_soft: Period::seconds(600), ..LimitsConfig::default() };
    let served = with(ApiConfig::default(), limits).await;
    let idle = Endpoint::from_shared(format!("http://{}", served.address)).unwrap().connect().await.unwrap();
    let mut idle = MemoryServiceClient::new(idle);
    let list = v1::ListMemoriesRequest { user_id: USER.to_owned(), ..Default::default() };
    idle.list_memories(list.clone()).await.unwrap();
    let watching = watched(&served).await;
    served.api.stop.cancel();
    let (code, name, _) = reason(&end(watching).await);
    assert_eq!((code, name.as_str()), (Code::Unavailable, "SHUTTING_DOWN"));
    tokio::time::timeout(BOUND, served.serving).await.expect("the server ends").unwrap().unwrap();
    assert_eq!(idle.list_memories(list).await.unwrap_err().code(), Code::Unavailable);
}

#[tokio::test]
async fn call_that_has_begun_when_the_server_stops_is_carried_out_and_answered() {
    let served = Served::start().await;
    let (sender, rest) = tokio::sync::oneshot::channel::<Bytes>();
    let (first, second) = framed(&create(draft("half of it is sent before the stop")));
    let pieces = futures::stream::once(async { Ok::<_, Status>(first) });
    let pieces = pieces.chain(futures::stream::once(async { rest.await.map_err(|_| Status::cancelled("")) }));
    let mut channel = served.channel.clone();
    let body = Body::new(StreamBody::new(pieces.map_ok(Frame::data)));
    let begun = tokio::spawn(channel.ready().await.unwrap().call(sent(body)));
    // Sent later on the same connection, so the other call has begun when this one is answered.
    served.remember("whole").await;
    served.api.stop.cancel();
    while TcpStream::connect(served.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    sender.send(second).unwrap();
    let answer = begun.await.unwrap().unwrap();
    let whole = tokio::time::timeout(BOUND, answer.into_body().collect()).await.expect("it is answered").unwrap();
    assert_eq!(whole.trailers().expect("the answer is whole")["grpc-status"], "0");
    tokio::time::timeout(BOUND, served.serving).await.expect("the server ends").unwrap().unwrap();
}

/// Writes a message as a gRPC frame, in two pieces.
fn framed(message: &v1::CreateMemoryRequest) -> (Bytes, Bytes) {
    let message = message.encode_to_vec();
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    let mut whole = Bytes::from([&[0][..], &length, &message].concat());
    let first = whole.split_to(whole.len() / 2);
    (first, whole)
}

/// Creates the request with this body.
fn sent(body: Body) -> http::Request<Body> {
    let request = http::Request::post("/kimberly.v1.MemoryService/CreateMemory");
    request.header("content-type", "application/grpc").header("te", "trailers").body(body).unwrap()
}
