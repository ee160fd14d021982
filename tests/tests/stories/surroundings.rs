//! Health, reflection, graceful stop, invalid configuration.

use std::process::Stdio;

use kimberly_proto::FILE_DESCRIPTOR_SET;
use kimberly_tests::binaries::process;
use kimberly_tests::system::{channel, serves};
use kimberly_tests::{System, eventually};
use prost::Message as _;
use prost_types::{FileDescriptorProto, FileDescriptorSet};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// Every service of the contract.
fn services() -> Vec<String> {
    let files = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).expect("the contract").file;
    let names = |file: FileDescriptorProto| {
        let package = file.package().to_owned();
        file.service.into_iter().map(move |service| format!("{package}.{}", service.name()))
    };
    files.into_iter().flat_map(names).collect()
}

#[tokio::test]
async fn health_answers_for_the_process_and_for_each_service() {
    let system = System::start().await;
    let mut health = HealthClient::new(system.channel());
    for service in services().into_iter().chain([String::new()]) {
        let answer = health.check(HealthCheckRequest { service: service.clone() }).await.expect("health answers");
        assert_eq!(answer.into_inner().status(), ServingStatus::Serving, "{service}");
    }
    let unknown = health.check(HealthCheckRequest { service: "kimberly.v1.NoService".to_owned() }).await;
    assert_eq!(unknown.expect_err("an unknown service").code(), tonic::Code::NotFound);
}

/// Lists services and looks up a symbol with one version of the reflection service.
macro_rules! reflects {
    ($channel:expr, $version:ident) => {{
        use tonic_reflection::pb::$version::ServerReflectionRequest;
        use tonic_reflection::pb::$version::server_reflection_client::ServerReflectionClient;
        use tonic_reflection::pb::$version::server_reflection_request::MessageRequest;
        use tonic_reflection::pb::$version::server_reflection_response::MessageResponse;
        let ask = |message| ServerReflectionRequest { host: String::new(), message_request: Some(message) };
        let requests = tokio_stream::iter([
            ask(MessageRequest::ListServices(String::new())),
            ask(MessageRequest::FileContainingSymbol("kimberly.v1.MemoryService".to_owned())),
        ]);
        let mut client = ServerReflectionClient::new($channel);
        let mut answers = client.server_reflection_info(requests).await.expect("reflection answers").into_inner();
        let listed = match answers.message().await.expect("an answer").expect("an answer").message_response {
            Some(MessageResponse::ListServicesResponse(list)) => list.service,
            other => panic!("services were asked for, not {other:?}"),
        };
        let file = answers.message().await.expect("an answer").expect("an answer").message_response;
        assert!(matches!(file, Some(MessageResponse::FileDescriptorResponse(_))), "{file:?}");
        listed.into_iter().map(|service| service.name).collect::<Vec<_>>()
    }};
}

#[tokio::test]
async fn reflection_lists_every_service_in_both_versions() {
    let system = System::start().await;
    let (new, old) = (reflects!(system.channel(), v1), reflects!(system.channel(), v1alpha));
    for service in services() {
        assert!(new.contains(&service), "v1 does not list {service}: {new:?}");
        assert!(old.contains(&service), "v1alpha does not list {service}: {old:?}");
    }
}

#[tokio::test]
async fn every_process_stops_in_order_when_asked() {
    let mut system = System::start().await;
    let mut ana = system.user("ana");
    ana.remember("written before the stop").await;
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        let status = process.stop();
        assert!(status.success(), "{} ended with {status}", process.name());
    }
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        process.start_again();
    }
    system.wait_until_serving().await;
    assert_eq!(system.user("ana").recalled("before the stop").await.len(), 1);
}

#[tokio::test]
async fn a_stopping_api_is_not_held_up_by_an_idle_client() {
    let mut system = System::start().await;
    let mut idle = system.user("idle");
    idle.recalled("opens the connection").await;
    assert!(system.api.stop().success());
    drop(idle);
}

#[tokio::test]
async fn the_embedder_says_that_embeddings_are_off() {
    let system = System::start().await;
    let said = eventually("the embedder says so", || async {
        let log = system.embedder.log();
        log.to_lowercase().contains("embedding").then_some(log)
    })
    .await;
    assert!(said.to_lowercase().contains("off"), "{said}");
    assert!(!system.user("ana").metrics().await.embedding_enabled);
}

#[tokio::test]
async fn processes_serve_again_after_each_other_was_lost() {
    let mut system = System::start().await;
    let [api, worker, _] = system.addresses();
    system.worker.kill9();
    let mut ana = system.user("ana");
    ana.remember("while the worker is gone").await;
    assert!(!serves(worker).await && serves(api).await);
    system.worker.start_again();
    system.wait_until_worker_serves().await;
    system.api.kill9();
    assert!(serves(worker).await, "the worker does not need the api");
    system.api.start_again();
    system.wait_until_api_serves().await;
    assert_eq!(system.user("ana").recalled("worker gone").await.len(), 1);
    drop(channel(api));
}

#[tokio::test]
async fn processes_that_start_together_over_an_empty_folder_all_serve() {
    for _ in 0..5 {
        let mut system = System::start().await;
        system.api.assert_running();
        system.worker.assert_running();
    }
}

#[test]
fn a_bad_setting_is_explained_and_nothing_starts() {
    let folder = tempfile::tempdir().expect("a folder");
    for (variable, value, expected) in [
        ("KIMBERLY_API__LISTEN", "0.0.0.0:7420", "api.listen"),
        ("KIMBERLY_API__LISTENN", "127.0.0.1:7420", "listenn"),
        ("KIMBERLY_RETENTION__LOW_SCORE", "2", "retention.low_score"),
        ("KIMBERLY_QUOTAS__LONG_TERM", "12 apples", "quotas.long_term"),
    ] {
        let output = process("kimberly-api")
            .env_clear()
            .env("KIMBERLY_DATA_DIR", folder.path().join("data"))
            .env(variable, value)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("the process ends by itself");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{variable}={value}: {said}");
        assert!(said.contains(expected), "{variable}={value} was answered with: {said}");
        assert!(!folder.path().join("data").exists(), "a folder was made in spite of {variable}={value}");
    }
}

#[tokio::test]
async fn logs_hold_neither_users_nor_what_they_remember() {
    let mut system = System::start_with(&[("KIMBERLY_LOG", "debug"), ("KIMBERLY_QUOTAS__LONG_TERM", "1KiB")]).await;
    let mut user = system.user("quetzalcoatl");
    let stored = user.remember(&format!("The xylophone is in the attic. {}", "Words. ".repeat(150))).await;
    user.recall("Where is the xylophone? In the attyc?").await;
    user.pursue("Sell the xylophone", &["xylophone"]).await;
    user.meditate().await;
    user.explain(&stored.id).await;
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
        let log = process.log().to_lowercase();
        for word in ["quetzalcoatl", "xylophone", "attic", "attyc"] {
            let line = log.lines().find(|line| line.contains(word));
            assert_eq!(line, None, "{} logs {word}", process.name());
        }
    }
}
