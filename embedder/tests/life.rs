//! The process's life cycle: ready, healthy, graceful stop, and clear errors if it cannot start.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

#[path = "model/tiny.rs"]
mod tiny;

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kimberly_crypto::{KeySources, Keys, Loads};
use kimberly_proto::internal::embedder_service_client::EmbedderServiceClient;
use kimberly_proto::internal::reranker_service_client::RerankerServiceClient;
use kimberly_proto::internal::vector_service_client::VectorServiceClient;
use kimberly_proto::internal::{DescribeModelsRequest, EmbedRequest, Purpose, RerankRequest, StoreVectorsRequest};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

fn embedder(data: &tempfile::TempDir, listen: &str) -> Command {
    let folder = std::env::var_os("KIMBERLY_BIN_DIR").map_or_else(
        || std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned(),
        std::path::PathBuf::from,
    );
    let mut command = Command::new(folder.join("kimberly"));
    command
        .arg("embedder")
        .current_dir(data.path())
        .env("KIMBERLY_LIMITS__SHUTDOWN_SOFT", "500ms")
        .env("KIMBERLY_DATA_DIR", data.path().join("data"))
        .env("KIMBERLY_KEYS__FOLDER", data.path().join("keys"))
        .env("KIMBERLY_EMBEDDER__LISTEN", listen);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts the process and returns its ready line.
fn ready(command: &mut Command) -> (Child, String) {
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, line)
}

fn ended(mut child: Child) -> Option<i32> {
    let end = Instant::now() + Duration::from_secs(30);
    while Instant::now() < end {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    panic!("it did not end");
}

#[tokio::test]
async fn it_says_that_embeddings_are_off_answers_for_its_health_and_stops_at_sigterm() {
    let data = tempfile::tempdir().unwrap();
    let (child, line) = ready(&mut embedder(&data, "127.0.0.1:0"));
    assert!(line.starts_with("kimberly-embedder ready on 127.0.0.1:") && line.contains("embeddings are off"), "{line}");
    let address = line.split([' ', ';']).find(|word| word.starts_with("127.0.0.1:")).unwrap();
    let channel = Endpoint::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap();
    let mut health = HealthClient::new(channel);
    let answer = health.check(HealthCheckRequest::default()).await.unwrap().into_inner();
    assert_eq!(answer.status(), ServingStatus::Serving);
    // The client stays connected, as monitors do, which must not delay the stop.
    assert!(Command::new("kill").arg("-TERM").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(ended(child), Some(0));
}

#[test]
fn it_stops_when_its_supervisor_closes_stdin_or_dies() {
    let data = tempfile::tempdir().unwrap();
    let (mut child, _) = ready(embedder(&data, "127.0.0.1:0").env("KIMBERLY_STOP_WITH_STDIN", "1"));
    drop(child.stdin.take());
    assert_eq!(ended(child), Some(0));
}

#[test]
fn a_taken_port_and_a_bad_configuration_are_said_in_plain_words() {
    let data = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let output = embedder(&data, &taken.local_addr().unwrap().to_string()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("KIMBERLY_EMBEDDER__LISTEN"), "{said}");
    let output = embedder(&data, "0.0.0.0:0").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("loopback"), "{said}");
}

/// A client of the internal service.
type Client = EmbedderServiceClient<InterceptedService<Channel, Token>>;

/// The token that a client presents, if any.
#[derive(Clone)]
struct Token(Option<String>);

impl Interceptor for Token {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            request.metadata_mut().insert("authorization", token.parse().unwrap());
        }
        Ok(request)
    }
}

/// The token of processes over this data folder.
fn token(data: &tempfile::TempDir) -> Token {
    let sources = KeySources { folder: Some(data.path().join("keys")), ..KeySources::default() };
    let keys = Keys::open(&data.path().join("data"), &sources, Loads::MasterOnly).unwrap();
    Token(Some(format!("Bearer {}", keys.internal_token().unwrap().as_str())))
}

/// The process with a small model, and a client of its internal service.
async fn with_model(data: &tempfile::TempDir) -> (Child, String, Client) {
    let (child, line, channel) = serving(data, &[]).await;
    (child, line, EmbedderServiceClient::with_interceptor(channel, token(data)))
}

async fn serving(data: &tempfile::TempDir, settings: &[(&str, &str)]) -> (Child, String, Channel) {
    tiny::Tiny::default().write(&data.path().join("data/models/Tiny One"));
    let mut command = embedder(data, "127.0.0.1:0");
    command.env("KIMBERLY_EMBEDDER__MODEL", "Tiny One").envs(settings.iter().copied());
    let (child, line) = ready(&mut command);
    let address = line.split([' ', ';']).find(|word| word.starts_with("127.0.0.1:")).unwrap();
    let channel = Endpoint::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap();
    (child, line.clone(), channel)
}

#[tokio::test]
async fn only_processes_over_the_same_data_are_answered() {
    let data = tempfile::tempdir().unwrap();
    let (mut child, _, channel) = serving(&data, &[]).await;
    let good = token(&data);
    let text = good.0.clone().unwrap();
    let bare = text.trim_start_matches("Bearer ").to_owned();
    let wrong = [
        None,
        Some(bare),
        Some("Bearer ".to_owned()),
        Some(text[..text.len() - 1].to_owned()),
        Some(format!("{text}0")),
    ];
    for shown in wrong.map(Token) {
        let mut embedder = EmbedderServiceClient::with_interceptor(channel.clone(), shown.clone());
        let refused = embedder.describe_models(DescribeModelsRequest {}).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unauthenticated);
        let mut store = VectorServiceClient::with_interceptor(channel.clone(), shown);
        let refused = store.store_vectors(StoreVectorsRequest::default()).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unauthenticated);
    }
    let mut health = HealthClient::new(channel.clone());
    assert!(health.check(HealthCheckRequest::default()).await.is_ok(), "health needs no token");
    let mut embedder = EmbedderServiceClient::with_interceptor(channel, good);
    embedder.describe_models(DescribeModelsRequest {}).await.unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn without_encryption_there_is_no_token_to_show() {
    let data = tempfile::tempdir().unwrap();
    let (mut child, _, channel) = serving(&data, &[("KIMBERLY_ENCRYPTION__ENABLED", "false")]).await;
    EmbedderServiceClient::new(channel).describe_models(DescribeModelsRequest {}).await.unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
}

fn request(texts: &[&str], purpose: Purpose, model: &str) -> EmbedRequest {
    let texts = texts.iter().map(|text| (*text).to_owned()).collect();
    EmbedRequest { texts, purpose: purpose.into(), model: model.to_owned() }
}

#[tokio::test]
async fn with_a_model_it_answers_with_vectors_and_says_which_model_they_are_of() {
    let data = tempfile::tempdir().unwrap();
    let (mut child, line, mut client) = with_model(&data).await;
    let models = client.describe_models(DescribeModelsRequest {}).await.unwrap().into_inner().models;
    let key = models[0].key.clone().unwrap();
    assert_eq!((models.len(), key.id.as_str(), key.dimension, models[0].window_tokens), (1, "tiny-one", 48, 24));
    let slug = format!("{}-{}", key.id, key.version);
    assert!(line.contains(&slug), "{line}");
    let asked = request(&["the cat", "", "cats"], Purpose::Document, &slug);
    let answer = client.embed(asked).await.unwrap().into_inner();
    assert_eq!((answer.model, answer.vectors.len()), (Some(key), 3));
    for vector in &answer.vectors {
        let length: f32 = vector.values.iter().map(|x| x * x).sum();
        assert!(vector.values.len() == 48 && (length - 1.0).abs() < 1e-5);
    }
    let same = client.embed(request(&["the cat"], Purpose::Query, "")).await.unwrap().into_inner();
    let cosine: f32 = same.vectors[0].values.iter().zip(&answer.vectors[0].values).map(|(a, b)| a * b).sum();
    assert!((cosine - 1.0).abs() < 1e-5);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn requests_out_of_bounds_are_refused_with_their_codes() {
    let data = tempfile::tempdir().unwrap();
    let (mut child, _, mut client) = with_model(&data).await;
    let long = "x".repeat((1 << 20) + 1);
    for (asked, code) in [
        (request(&[], Purpose::Query, ""), Code::InvalidArgument),
        (request(&["a"; 257], Purpose::Document, ""), Code::InvalidArgument),
        (request(&[&long], Purpose::Document, ""), Code::InvalidArgument),
        (request(&["a"], Purpose::Unspecified, ""), Code::InvalidArgument),
        (request(&["a"], Purpose::Query, "another-0123456789abcdef"), Code::NotFound),
    ] {
        assert_eq!(client.embed(asked).await.unwrap_err().code(), code);
    }
    for allowed in [request(&["a"; 256], Purpose::Document, ""), request(&[&long[1..]], Purpose::Document, "")] {
        client.embed(allowed).await.unwrap();
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn without_a_model_there_is_no_internal_service() {
    let data = tempfile::tempdir().unwrap();
    let (mut child, line) = ready(&mut embedder(&data, "127.0.0.1:0"));
    let address = line.split([' ', ';']).find(|word| word.starts_with("127.0.0.1:")).unwrap();
    let channel = Endpoint::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap();
    let refused = EmbedderServiceClient::new(channel).describe_models(DescribeModelsRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unimplemented);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_model_that_cannot_be_used_ends_the_process_with_what_is_wrong() {
    let data = tempfile::tempdir().unwrap();
    let output = embedder(&data, "127.0.0.1:0").env("KIMBERLY_EMBEDDER__MODEL", "nowhere").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("embedder.model") && said.contains("models/nowhere cannot be read"), "{said}");
    assert!(said.contains("kimberly model pull"), "{said}");
}

#[test]
fn a_check_says_what_a_model_is_or_what_is_wrong_with_it() {
    let data = tempfile::tempdir().unwrap();
    tiny::Tiny::default().write(&data.path().join("tiny"));
    let check = |folder: &str| embedder(&data, "127.0.0.1:0").args(["check", folder]).output().unwrap();
    let output = check("tiny");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("tiny-") && said.contains("dimensions  48"), "{said}");
    std::fs::remove_file(data.path().join("tiny/tokenizer.json")).unwrap();
    let output = check("tiny");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && said.contains("tokenizer.json is missing"), "{said}");
}

fn asked(texts: &[&str]) -> RerankRequest {
    RerankRequest { query: "the cat".to_owned(), texts: texts.iter().map(|&text| text.to_owned()).collect() }
}

#[tokio::test]
async fn a_cross_encoder_scores_texts_without_an_embedding_model() {
    let data = tempfile::tempdir().unwrap();
    let tiny = tiny::Tiny { pooling: "classifier", ..tiny::Tiny::default() };
    tiny.write(&data.path().join("data/models/pairs"));
    let (mut child, line) = ready(embedder(&data, "127.0.0.1:0").env("KIMBERLY_RERANK__MODEL", "pairs"));
    assert!(line.contains("embeddings are off") && line.contains("cross-encoder pairs"), "{line}");
    let address = line.split([' ', ';']).find(|word| word.starts_with("127.0.0.1:")).unwrap();
    let channel = Endpoint::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap();
    let mut stranger = RerankerServiceClient::new(channel.clone());
    assert_eq!(stranger.rerank(asked(&["cats"])).await.unwrap_err().code(), Code::Unauthenticated);
    let mut client = RerankerServiceClient::with_interceptor(channel, token(&data));
    let texts = ["a much longer text than the others", "cats", "", "the cat", "zzz", "the cats sat"];
    let all = client.rerank(asked(&texts)).await.unwrap().into_inner().scores;
    for (&text, score) in texts.iter().zip(&all) {
        let alone = client.rerank(asked(&[text])).await.unwrap().into_inner().scores;
        assert!(alone.len() == 1 && (alone[0] - score).abs() < 1e-4, "{text}: {alone:?} {score}");
    }
    assert_eq!(client.rerank(asked(&["a"; 100])).await.unwrap().into_inner().scores.len(), 100);
    let long = "x".repeat(1 << 20);
    let bounds: [&[&str]; 3] = [&[], &["a"; 101], &[&long]];
    for bad in bounds {
        assert_eq!(client.rerank(asked(bad)).await.unwrap_err().code(), Code::InvalidArgument);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_folder_that_holds_no_cross_encoder_ends_the_process_with_what_is_wrong() {
    let data = tempfile::tempdir().unwrap();
    tiny::Tiny::default().write(&data.path().join("data/models/sentences"));
    for (named, why) in [("sentences", "has no classifier.weight"), ("nowhere", "models/nowhere cannot be read")] {
        let output = embedder(&data, "127.0.0.1:0").env("KIMBERLY_RERANK__MODEL", named).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1));
        assert!(["rerank.model", why, "omit the key"].iter().all(|part| said.contains(part)), "{said}");
    }
}
