//! The life of the process: ready, healthy, stopped in order, and plain words when it cannot start.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tonic::transport::Endpoint;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

fn embedder(data: &tempfile::TempDir, listen: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kimberly-embedder"));
    command
        .current_dir(data.path())
        .env("KIMBERLY_LIMITS__SHUTDOWN_SOFT", "500ms")
        .env("KIMBERLY_DATA_DIR", data.path().join("data"))
        .env("KIMBERLY_EMBEDDER__LISTEN", listen);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts it and returns its ready line.
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
    // The client stays connected, as monitors do: that must not keep the process.
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
