//! Failures of rpcs, and server defects.

use serde_json::json;

use super::{call, request, send};

#[tokio::test]
async fn failures_are_statuses_with_their_details() {
    // The echo service uses the length of the name as the code.
    let (status, answer) = call("GET", "/fail/12345678", "").await;
    assert_eq!((status, &answer["code"], &answer["message"]), (429, &json!(8), &json!("it failed")));
    let details = answer["details"].as_array().unwrap();
    assert!(details.contains(&json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "REASON", "domain": "things.v1", "metadata": {"key": "value"},
    })));
    let (_, headers, _) = send(request("GET", "/fail/12345678", "")).await;
    assert_eq!(headers["retry-after"], "2");
}

#[tokio::test]
async fn codes_have_their_canonical_http_status() {
    let expected = [499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401];
    for (index, status) in expected.into_iter().enumerate() {
        let path = format!("/fail/{}", "x".repeat(index + 1));
        let (found, answer) = call("GET", &path, "").await;
        assert_eq!((found, &answer["code"]), (status, &json!(index + 1)));
    }
}

#[tokio::test]
async fn panic_fails_its_call_only() {
    let (status, answer) = call("GET", "/panic", "").await;
    assert_eq!((status, &answer["code"]), (500, &json!(13)));
    assert!(!answer.to_string().contains("a defect"));
}
