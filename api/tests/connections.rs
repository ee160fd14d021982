//! How connections end: at their age, beyond their number, and when the server stops.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail their test")]

mod common;

use std::time::Duration;

use common::{Served, USER, create, draft, reason};
use kimberly_core::settings::ServerDefaults;
use kimberly_proto::v1;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_runtime::config::{ApiConfig, Config, LimitsConfig, Period};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tonic::transport::Endpoint;
use tonic::{Code, Status, Streaming};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

/// Far longer than anything here takes.
const BOUND: Duration = Duration::from_secs(30);

async fn with(api: ApiConfig, limits: LimitsConfig) -> Served {
    Served::configured(ServerDefaults::default(), Config { api, limits, ..Config::default() }).await
}

/// A stream over a run that nobody carries out, after its first event.
async fn watched(served: &Served) -> Streaming<v1::WatchMeditationResponse> {
    served.remember("something to meditate on").await;
    let run = v1::MeditateRequest { user_id: USER.to_owned(), ..Default::default() };
    let id = served.meditations().meditate(run).await.unwrap().into_inner().meditation.unwrap().id;
    let request = v1::WatchMeditationRequest { user_id: USER.to_owned(), id };
    let mut stream = served.meditations().watch_meditation(request).await.unwrap().into_inner();
    assert!(stream.message().await.unwrap().is_some());
    stream
}

/// How a stream ends.
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
async fn streams_over_a_connection_of_full_age_are_told_and_calls_go_on_over_another() {
    let api = ApiConfig { max_connection_age: Period::seconds(1), ..ApiConfig::default() };
    let served = with(api, LimitsConfig::default()).await;
    let told = end(watched(&served).await).await;
    let (code, name, _) = reason(&told);
    assert_eq!((code, name.as_str()), (Code::Unavailable, "SHUTTING_DOWN"));
    assert!(told.message().contains("go on over another"), "{told:?}");
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
    // The health service knows nothing of the age of connections.
    let stream = HealthClient::new(served.channel.clone()).watch(HealthCheckRequest::default()).await.unwrap();
    end(stream.into_inner()).await;
    served.remember("over another connection").await;
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
async fn calls_that_run_when_the_server_stops_are_answered() {
    let served = Served::start().await;
    served.remember("warm").await;
    let calls: Vec<_> = (0..32)
        .map(|n| {
            let (mut client, request) = (served.memories(), create(draft(&format!("memory {n}"))));
            tokio::spawn(async move { client.create_memory(request).await })
        })
        .collect();
    while served.api.metrics.snapshot().iter().all(|(name, count)| name != "grpc.calls" || *count < 4.0) {
        tokio::task::yield_now().await;
    }
    served.api.stop.cancel();
    let answers = futures::future::join_all(calls).await;
    tokio::time::timeout(BOUND, served.serving).await.expect("the server ends").unwrap().unwrap();
    for answer in answers {
        // Those that had not reached the server learn that they did not.
        assert!(answer.unwrap().err().is_none_or(|refused| refused.code() == Code::Unavailable));
    }
}
