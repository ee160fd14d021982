//! Bounds on calls: rates, shares, permits and streams. A refusal states its reason and the retry delay.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test")]

use std::collections::HashMap;
use std::time::Duration;

use crate::common::{Served, USER, create, draft, reason};
use kimberly_core::settings::ServerDefaults;
use kimberly_proto::FILE_DESCRIPTOR_SET;
use kimberly_proto::v1;
use kimberly_proto::v1::server_service_client::ServerServiceClient;
use kimberly_runtime::config::{ApiConfig, Bytes, Config, LimitsConfig};
use prost::Message as _;
use prost_types::FileDescriptorSet;
use tonic::codec::CompressionEncoding;
use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_types::StatusExt as _;

async fn limited(limits: LimitsConfig) -> Served {
    Served::configured(ServerDefaults::default(), Config { limits, ..Config::default() }).await
}

fn settings_of(user: &str) -> v1::GetSettingsRequest {
    v1::GetSettingsRequest { user_id: user.to_owned() }
}

/// Returns the reason, the limit that was reached, and the retry delay.
fn refusal(status: &Status) -> (String, String, Duration) {
    let (code, name, metadata) = reason(status);
    assert_eq!(code, Code::ResourceExhausted, "{status:?}");
    let retry = status.get_error_details().retry_info().and_then(|info| info.retry_delay);
    (name, metadata["limit"].clone(), retry.unwrap())
}

fn is(status: &Status, name: &str, limit: &str) -> bool {
    let (found, of, _) = refusal(status);
    (found.as_str(), of.as_str()) == (name, limit)
}

/// Returns the paths of all calls of a user with one request message.
pub(crate) fn paths() -> Vec<String> {
    let set = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).unwrap();
    let ours = set.file.iter().filter(|file| file.package() == "kimberly.v1");
    let of_users = |name: &str| {
        let name = name.rsplit('.').next().unwrap();
        let mut messages = set.file.iter().flat_map(|file| &file.message_type);
        let message = messages.find(|message| message.name() == name).unwrap();
        message.field.iter().any(|field| field.name() == "user_id" && field.number() == 1)
    };
    let services = ours.flat_map(|file| &file.service);
    let methods = services.flat_map(|service| service.method.iter().map(move |method| (service, method)));
    methods
        .filter(|(_, method)| !method.client_streaming() && of_users(method.input_type()))
        .map(|(service, method)| format!("/kimberly.v1.{}/{}", service.name(), method.name()))
        .collect()
}

#[tokio::test]
async fn every_call_of_a_user_is_held_to_their_rate_and_gets_a_retry_delay() {
    let served = limited(LimitsConfig { user_calls_per_second: 0.01, user_burst: 1, ..LimitsConfig::default() }).await;
    served.settings().get_settings(settings_of(USER)).await.unwrap();
    let paths = paths();
    assert!(paths.len() >= 22, "{paths:?}");
    for path in paths {
        let mut raw = tonic::client::Grpc::new(served.channel.clone());
        raw.ready().await.unwrap();
        let codec = tonic_prost::ProstCodec::<v1::GetSettingsRequest, v1::GetSettingsResponse>::default();
        let answer = raw.unary(Request::new(settings_of(USER)), path.parse().unwrap(), codec).await;
        let refused = answer.expect_err(&path);
        let (name, limit, after) = refusal(&refused);
        assert_eq!((name.as_str(), limit.as_str()), ("RATE_LIMITED", "user"), "{path}");
        assert!(after > Duration::from_secs(50) && after <= Duration::from_secs(100), "{path}: {after:?}");
    }
    served.settings().get_settings(settings_of("bob")).await.expect("another user has a separate rate");
}

#[tokio::test]
async fn credentials_have_rates_of_their_own_and_what_tells_about_the_server_has_none() {
    let limits = LimitsConfig { credential_calls_per_second: 0.01, credential_burst: 2, ..LimitsConfig::default() };
    let served = limited(limits).await;
    let call = async |credential: Option<&str>, user: &str| {
        let mut request = Request::new(settings_of(user));
        if let Some(credential) = credential {
            request.metadata_mut().insert("authorization", format!("Bearer {credential}").parse().unwrap());
        }
        served.settings().get_settings(request).await
    };
    let (one, other) = (served.key("one", 1).await, served.key("other", 2).await);
    for credential in [None, Some(one.as_str()), Some(other.as_str())] {
        assert!(call(credential, "ada").await.is_ok() && call(credential, "bob").await.is_ok(), "{credential:?}");
        assert!(is(&call(credential, "eve").await.unwrap_err(), "RATE_LIMITED", "credential"), "{credential:?}");
    }
    HealthClient::new(served.channel.clone()).check(HealthCheckRequest::default()).await.unwrap();
    let info = ServerServiceClient::new(served.channel.clone()).get_server_info(v1::GetServerInfoRequest {}).await;
    let told = info.unwrap().into_inner().limits.unwrap();
    assert_eq!((told.credential_calls_per_second, told.user_calls_per_second), (0.01, 0.0));
    assert_eq!((told.max_concurrent_calls_per_user, told.max_streams), (512, 256));
}

/// Returns the outcomes of many concurrent calls.
async fn at_once(served: &Served, user: &str, calls: usize) -> Vec<Result<(), Status>> {
    let calls = (0..calls).map(|n| {
        let mut client = served.memories();
        let request = v1::CreateMemoryRequest { user_id: user.to_owned(), ..create(draft(&format!("memory {n}"))) };
        async move { client.create_memory(request).await.map(drop) }
    });
    futures::future::join_all(calls).await
}

#[tokio::test]
async fn user_with_all_of_their_calls_running_is_refused_and_others_are_served() {
    let served = limited(LimitsConfig { max_calls_per_user: 2, ..LimitsConfig::default() }).await;
    let (adas, bobs) = tokio::join!(at_once(&served, USER, 64), at_once(&served, "bob", 2));
    assert!(adas.iter().any(Result::is_ok) && bobs.iter().all(Result::is_ok));
    let refused: Vec<&Status> = adas.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert!(!refused.is_empty() && refused.iter().all(|status| is(status, "OVERLOADED", "user")));
    served.remember("served again").await;
}

#[tokio::test]
async fn saturated_server_refuses_at_once_answers_health_and_counts_what_it_did() {
    let limits = LimitsConfig { max_running_writes: 1, max_waiting_calls: 0, ..LimitsConfig::default() };
    let served = limited(limits).await;
    let mut health = HealthClient::new(served.channel.clone());
    let (answers, healthy) = tokio::join!(at_once(&served, USER, 64), health.check(HealthCheckRequest::default()));
    healthy.unwrap();
    let refused: Vec<&Status> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert!(answers.iter().any(Result::is_ok));
    assert!(!refused.is_empty() && refused.iter().all(|status| is(status, "OVERLOADED", "server")));
    served.remember("served again").await;
    let counted: HashMap<String, f64> = served.api.metrics.snapshot().into_iter().collect();
    let expected = f64::from(u32::try_from(refused.len()).unwrap());
    assert!((counted["grpc.refused.server"] - expected).abs() < 0.5, "{counted:?}");
    assert!(counted.contains_key("grpc.calls.wait.writes.p99"));
}

#[tokio::test]
async fn calls_in_line_are_served_when_it_is_their_turn() {
    let served = limited(LimitsConfig { max_running_writes: 1, ..LimitsConfig::default() }).await;
    let (adas, bobs) = tokio::join!(at_once(&served, USER, 32), at_once(&served, "bob", 4));
    assert!(adas.iter().chain(&bobs).all(Result::is_ok), "{adas:?} {bobs:?}");
}

#[tokio::test]
async fn streams_are_bounded_per_user_and_release_their_permits() {
    let served = limited(LimitsConfig { max_streams_per_user: 1, ..LimitsConfig::default() }).await;
    served.remember("something to meditate on").await;
    let run = v1::MeditateRequest { user_id: USER.to_owned(), ..Default::default() };
    let id = served.meditations().meditate(run).await.unwrap().into_inner().meditation.unwrap().id;
    let watch = async || {
        let request = v1::WatchMeditationRequest { user_id: USER.to_owned(), id: id.clone() };
        served.meditations().watch_meditation(request).await.map(tonic::Response::into_inner)
    };
    let first = watch().await.unwrap();
    assert!(is(&watch().await.unwrap_err(), "OVERLOADED", "streams"));
    drop(first);
    // The server notices it a moment later.
    while watch().await.is_err() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn requests_of_more_bytes_than_the_server_may_hold_are_refused_compressed_or_not() {
    let api =
        ApiConfig { max_request_bytes: Bytes(64 << 10), max_held_bytes: Bytes(400 << 10), ..ApiConfig::default() };
    let served = Served::with(ServerDefaults::default(), api).await;
    let large = draft(&"large ".repeat(10_000));
    served.create(create(large.clone())).await.unwrap();
    let answers = {
        let calls = (0..16).map(|_| served.create(create(large.clone())));
        futures::future::join_all(calls).await
    };
    let refused: Vec<Status> = answers.into_iter().filter_map(Result::err).collect();
    assert!(!refused.is_empty() && refused.iter().all(|status| is(status, "OVERLOADED", "bytes")));
    let mut zipped = served.memories().send_compressed(CompressionEncoding::Zstd);
    zipped.create_memory(create(large)).await.unwrap();
    served.remember("served again").await;
}

#[tokio::test]
async fn compressed_requests_of_streams_are_charged_for_what_they_are() {
    let served =
        Served::with(ServerDefaults::default(), ApiConfig { max_held_bytes: Bytes(16 << 10), ..ApiConfig::default() })
            .await;
    let mut zipped = served.memories().send_compressed(CompressionEncoding::Zstd);
    let (user_id, cursor) = (USER.to_owned(), "x".repeat(60_000));
    let export = v1::ExportMemoriesRequest { user_id: user_id.clone(), cursor: cursor.clone(), ..Default::default() };
    assert!(is(&zipped.export_memories(export).await.map(drop).unwrap_err(), "OVERLOADED", "bytes"));
    let watch = v1::WatchMemoriesRequest { user_id, cursor, ..Default::default() };
    assert!(is(&zipped.watch_memories(watch).await.map(drop).unwrap_err(), "OVERLOADED", "bytes"));
    let counted: HashMap<String, f64> = served.api.metrics.snapshot().into_iter().collect();
    assert!((counted["grpc.refused.bytes"] - 2.0).abs() < 0.5, "{counted:?}");
}

#[tokio::test]
async fn streams_that_watch_take_a_turn_among_the_calls_for_every_look() {
    let served = Served::start().await;
    served.remember("something to meditate on").await;
    let run = v1::MeditateRequest { user_id: USER.to_owned(), ..Default::default() };
    let id = served.meditations().meditate(run).await.unwrap().into_inner().meditation.unwrap().id;
    let turns = || {
        let counted = served.api.metrics.snapshot().into_iter();
        counted.filter(|(name, _)| name == "grpc.calls.wait.reads.count").map(|(_, count)| count).sum::<f64>()
    };
    let more_turns = async || {
        let before = turns();
        let looks = async {
            while turns() < before + 3.0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), looks).await.expect("each look takes a turn");
    };
    let request = v1::WatchMeditationRequest { user_id: USER.to_owned(), id };
    let mut watched = served.meditations().watch_meditation(request).await.unwrap().into_inner();
    watched.message().await.unwrap().unwrap();
    more_turns().await;
    drop(watched);
    let request = v1::WatchMemoriesRequest { user_id: USER.to_owned(), ..Default::default() };
    let mut watched = served.memories().watch_memories(request).await.unwrap().into_inner();
    watched.message().await.unwrap().unwrap();
    more_turns().await;
}
