//! Streams as JSON lines and as events.

use serde_json::{Value, json};

use super::{request, send};

async fn watched(name: &str, accept: &str) -> (String, String) {
    let mut asked = request("GET", &format!("/things/{name}:watch"), "");
    asked.headers_mut().insert("accept", accept.parse().unwrap());
    let (status, headers, body) = send(asked).await;
    assert_eq!(status, 200);
    (headers["content-type"].to_str().unwrap().to_owned(), String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn messages_are_lines() {
    let (kind, text) = watched("x", "*/*").await;
    let names: Vec<Value> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["name"].take()).collect();
    assert_eq!((kind.as_str(), names), ("application/x-ndjson", vec![json!("x"), json!("x")]));
    assert!(text.ends_with('\n'));
}

#[tokio::test]
async fn messages_are_events_for_callers_that_accept_events() {
    let (kind, text) = watched("x", "text/event-stream").await;
    let events: Vec<&str> = text.split_terminator("\n\n").collect();
    assert_eq!((kind.as_str(), events.len()), ("text/event-stream", 2));
    assert!(events.iter().all(|event| event.starts_with("data: {") && !event.contains('\n')), "{text}");
}

#[tokio::test]
async fn error_in_mid_stream_is_the_last_line_or_event() {
    let expected = json!({"error": {"code": 10, "message": "broke off", "details": []}});
    let (_, text) = watched("fail", "application/x-ndjson").await;
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((text.lines().count(), last), (3, expected.clone()));
    let (_, text) = watched("fail", "text/event-stream").await;
    let last = text.split_terminator("\n\n").last().unwrap();
    let data = last.strip_prefix("event: error\ndata: ").unwrap();
    assert_eq!(serde_json::from_str::<Value>(data).unwrap(), expected);
}
