//! Tests of endpoints that answer correctly, incorrectly, slowly or with too much.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;

use kimberly_core::ports::{Clock, LanguageModel, NoAnswer, Task};
use kimberly_core::{Timestamp, UserId};

use super::Model;
use crate::Metrics;
use crate::config::{LanguageModelConfig, Period};

/// A clock that stands still.
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp(1_764_000_000_000_000)
    }
}

/// Serves these responses, one per connection, then stops accepting.
fn endpoint(answers: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            let mut piece = [0; 4_096];
            while !String::from_utf8_lossy(&request).contains("\"temperature\"") {
                let read = stream.read(&mut piece).unwrap();
                request.extend_from_slice(&piece[..read]);
            }
            let _ = stream.write_all(answer.as_bytes());
            if answer.is_empty() {
                // Sends nothing until the caller gives up.
                let _ = stream.read(&mut piece);
            }
        }
    });
    format!("http://{address}/v1")
}

fn http(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

fn good(content: &str) -> String {
    let body = format!(
        "{{\"choices\": [{{\"message\": {{\"content\": {content:?}}}}}], \"usage\": {{\"prompt_tokens\": 7}}}}"
    );
    http("200 OK", &body)
}

fn model(url: String, calls: u32) -> Arc<dyn LanguageModel> {
    let config = LanguageModelConfig {
        url: Some(url),
        model: Some("m".to_owned()),
        timeout: Period::seconds(1),
        recall_timeout: Period::millis(100),
        calls_per_user_and_day: calls,
        ..LanguageModelConfig::default()
    };
    Model::open(&config, Arc::new(Still), Metrics::detached()).unwrap().unwrap()
}

async fn asked(model: &Arc<dyn LanguageModel>, user: &str) -> Result<String, NoAnswer> {
    model.answer(&UserId::parse(user).unwrap(), &task(false)).await
}

fn task(is_awaited: bool) -> Task {
    Task { name: "extract", instructions: "Read.", data: "{}".to_owned(), schema: "{}", is_awaited }
}

#[tokio::test]
async fn each_user_has_a_budget_and_gets_what_the_model_says() {
    let model = model(endpoint(vec![good("yes"), good("soon"), good("no")]), 1);
    assert_eq!(asked(&model, "ana").await.as_deref(), Ok("yes"));
    assert_eq!(asked(&model, "ana").await, Err(NoAnswer::Budget));
    let ana = UserId::parse("ana").unwrap();
    assert_ne!(model.answer(&ana, &task(true)).await, Err(NoAnswer::Budget), "a recall has calls of its own");
    assert_eq!(model.answer(&ana, &task(true)).await, Err(NoAnswer::Budget));
    assert_eq!(asked(&model, "ben").await.as_deref(), Ok("no"));
}

#[tokio::test]
async fn what_is_no_answer_fails_and_after_three_failures_the_model_is_left_alone() {
    let huge = good(&"x".repeat(300_000));
    let wrong =
        [http("500 Oops", "{}"), http("302 Found\r\nlocation: http://127.0.0.1:1/", ""), http("200 OK", "no JSON")];
    for answer in wrong.into_iter().chain([huge, String::new()]) {
        let model = model(endpoint(vec![answer, good("yes")]), 9);
        assert_eq!(asked(&model, "ana").await, Err(NoAnswer::Failed));
        assert_eq!(asked(&model, "ana").await.as_deref(), Ok("yes"), "one failure is forgiven");
    }
    let gone = model(endpoint(Vec::new()), 9);
    for expected in [NoAnswer::Failed, NoAnswer::Failed, NoAnswer::Failed, NoAnswer::Resting] {
        assert_eq!(asked(&gone, "ana").await, Err(expected));
    }
}

#[tokio::test]
async fn who_waits_gives_up_sooner_and_leaves_the_model_to_the_background() {
    let model = model(endpoint(vec![String::new(), String::new(), String::new(), good("yes")]), 9);
    let ana = UserId::parse("ana").unwrap();
    for expected in [NoAnswer::Failed, NoAnswer::Failed, NoAnswer::Failed, NoAnswer::Resting] {
        assert_eq!(model.answer(&ana, &task(true)).await, Err(expected));
    }
    assert_eq!(asked(&model, "ana").await.as_deref(), Ok("yes"), "which has more time, and did not fail");
}
