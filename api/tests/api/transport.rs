//! Features of the connection: health, reflection, compression, bounds, deadlines, and an orderly end.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test")]

use std::time::Duration;

use crate::common::{Served, USER, create, draft};
use kimberly_core::settings::ServerDefaults;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::{FILE_DESCRIPTOR_SET, v1};
use kimberly_runtime::config::{ApiConfig, Bytes, Config, LimitsConfig, Period};
use prost::Message as _;
use prost_types::FileDescriptorSet;
use tokio_stream::StreamExt as _;
use tonic::Code;
use tonic::codec::CompressionEncoding;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// Lists every service of the contract.
fn services() -> Vec<String> {
    let files = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).unwrap().file;
    let ours = files.into_iter().filter(|file| file.package() == "kimberly.v1").flat_map(|file| file.service);
    ours.map(|service| format!("kimberly.v1.{}", service.name())).collect()
}

#[tokio::test]
async fn health_is_reported_for_every_service_until_the_server_stops() {
    let served = Served::start().await;
    let mut health = HealthClient::new(served.channel.clone());
    let request = |service: &str| HealthCheckRequest { service: service.to_owned() };
    for service in services().into_iter().chain([String::new()]) {
        let status = health.check(request(&service)).await.unwrap().into_inner().status();
        assert_eq!(status, ServingStatus::Serving, "{service}");
    }
    let mut watched = health.watch(request("kimberly.v1.MemoryService")).await.unwrap().into_inner();
    assert_eq!(watched.next().await.unwrap().unwrap().status(), ServingStatus::Serving);
    served.api.stop.cancel();
    assert_eq!(watched.next().await.unwrap().unwrap().status(), ServingStatus::NotServing);
}

#[tokio::test]
async fn server_ends_within_its_bound_although_a_client_stays() {
    let limits = LimitsConfig { shutdown_soft: Period::millis(500), ..LimitsConfig::default() };
    let served = Served::configured(ServerDefaults::default(), Config { limits, ..Config::default() }).await;
    let mut health = HealthClient::new(served.channel.clone());
    let _held = health.watch(HealthCheckRequest::default()).await.unwrap();
    served.api.stop.cancel();
    let ended = tokio::time::timeout(Duration::from_secs(8), served.serving).await;
    ended.expect("the server ends").unwrap().unwrap();
}

#[tokio::test]
async fn reflection_names_every_service_in_both_versions() {
    let served = Served::start().await;
    let names = {
        use tonic_reflection::pb::v1::ServerReflectionRequest;
        use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
        use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
        use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
        let message_request = Some(MessageRequest::ListServices(String::new()));
        let request = ServerReflectionRequest { host: String::new(), message_request };
        let mut client = ServerReflectionClient::new(served.channel.clone());
        let mut answers = client.server_reflection_info(tokio_stream::once(request)).await.unwrap().into_inner();
        match answers.next().await.unwrap().unwrap().message_response {
            Some(MessageResponse::ListServicesResponse(list)) => {
                list.service.into_iter().map(|s| s.name).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        }
    };
    let alpha = {
        use tonic_reflection::pb::v1alpha::ServerReflectionRequest;
        use tonic_reflection::pb::v1alpha::server_reflection_client::ServerReflectionClient;
        use tonic_reflection::pb::v1alpha::server_reflection_request::MessageRequest;
        let message_request = Some(MessageRequest::FileContainingSymbol("kimberly.v1.MemoryService".to_owned()));
        let request = ServerReflectionRequest { host: String::new(), message_request };
        let mut client = ServerReflectionClient::new(served.channel.clone());
        let mut answers = client.server_reflection_info(tokio_stream::once(request)).await.unwrap().into_inner();
        answers.next().await.unwrap().unwrap().message_response
    };
    for service in services() {
        assert!(names.contains(&service), "{service} is missing in {names:?}");
    }
    assert!(matches!(
        alpha,
        Some(tonic_reflection::pb::v1alpha::server_reflection_response::MessageResponse::FileDescriptorResponse(_))
    ));
}

#[tokio::test]
async fn both_compressions_work_both_ways() {
    let served = Served::start().await;
    for encoding in [CompressionEncoding::Gzip, CompressionEncoding::Zstd] {
        let mut client =
            MemoryServiceClient::new(served.channel.clone()).send_compressed(encoding).accept_compressed(encoding);
        let content = format!("{encoding:?} {}", "compress me ".repeat(4_000));
        let answer = client.create_memory(create(draft(&content))).await.unwrap().into_inner();
        let get = v1::GetMemoryRequest {
            user_id: USER.to_owned(),
            id: answer.receipt.unwrap().id,
            explain: false,
            ..Default::default()
        };
        let answer = client.get_memory(get).await.unwrap();
        let named = answer.metadata().get("grpc-encoding").map(|name| name.to_str().unwrap().to_owned());
        assert_eq!(named.as_deref(), Some(if encoding == CompressionEncoding::Gzip { "gzip" } else { "zstd" }));
        assert_eq!(answer.into_inner().memory.unwrap().content, content);
    }
}

#[tokio::test]
async fn message_that_cannot_be_decoded_is_refused_as_its_callers_fault() {
    let served = Served::start().await;
    let mut raw = tonic::client::Grpc::new(served.channel.clone());
    raw.ready().await.unwrap();
    // A `google.protobuf.BytesValue`: bytes that are not UTF-8, in place of the user's id in the contract.
    let request = tonic::Request::new(vec![0xff_u8, 0xfe]);
    let path = "/kimberly.v1.MemoryService/CreateMemory".parse().unwrap();
    let codec = tonic_prost::ProstCodec::<Vec<u8>, v1::CreateMemoryResponse>::default();
    let refused = raw.unary(request, path, codec).await.unwrap_err();
    let (code, name, _) = crate::common::reason(&refused);
    assert_eq!((code, name.as_str()), (Code::InvalidArgument, "INVALID_FIELD"));
}

#[tokio::test]
async fn message_above_the_limit_is_refused() {
    let config = ApiConfig { max_request_bytes: Bytes(100_000), ..ApiConfig::default() };
    let served = Served::with(ServerDefaults::default(), config).await;
    let refused = served.create(create(draft(&"x".repeat(100_000)))).await.unwrap_err();
    let (code, name, _) = crate::common::reason(&refused);
    assert_eq!((code, name.as_str()), (Code::OutOfRange, "REQUEST_TOO_LARGE"));
    served.remember("still served").await;
}

/// Returns how a call of any path with a message of this size is refused.
#[expect(clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]
async fn refusal(served: &Served, path: &'static str, bytes: usize) -> (Code, String) {
    let mut raw = tonic::client::Grpc::new(served.channel.clone());
    raw.ready().await.unwrap();
    let codec = tonic_prost::ProstCodec::<String, String>::default();
    let request = tonic::Request::new("x".repeat(bytes));
    let refused = raw.unary(request, http::uri::PathAndQuery::from_static(path), codec).await.unwrap_err();
    let (code, name, _) = crate::common::reason(&refused);
    (code, name)
}

#[tokio::test]
async fn calls_that_are_always_served_take_small_messages_only() {
    let served = Served::start().await;
    for path in ["/kimberly.v1.ServerService/GetServerInfo", "/grpc.health.v1.Health/Check"] {
        assert_eq!(refusal(&served, path, 20_000).await, (Code::OutOfRange, "REQUEST_TOO_LARGE".to_owned()), "{path}");
    }
}

#[tokio::test]
async fn unknown_rpcs_are_refused_with_a_reason() {
    let served = Served::start().await;
    for path in ["/kimberly.v1.MemoryService/Nothing", "/kimberly.v1.Nothing/Get"] {
        assert_eq!(refusal(&served, path, 1).await, (Code::Unimplemented, "NO_SUCH_METHOD".to_owned()), "{path}");
    }
}

#[tokio::test]
async fn saturated_server_refuses_at_once_and_says_when_to_come_back() {
    let config = ApiConfig { max_concurrent_requests: 1, request_timeout: Period::seconds(30), ..ApiConfig::default() };
    let served = Served::with(ServerDefaults::default(), config).await;
    let calls = (0..64).map(|n| {
        let mut client = served.memories();
        async move { client.create_memory(create(draft(&format!("memory {n}")))).await }
    });
    let answers = futures::future::join_all(calls).await;
    let refused: Vec<_> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert!(answers.iter().any(Result::is_ok) && !refused.is_empty());
    for status in refused {
        let (code, name, _) = crate::common::reason(status);
        assert_eq!((code, name.as_str()), (Code::ResourceExhausted, "OVERLOADED"));
        assert!(tonic_types::StatusExt::get_error_details(status).retry_info().is_some());
    }
    served.remember("served again").await;
}
