//! Routing of methods and paths.

use http::StatusCode;
use kimberly_transcode::{BuildError, Options, Transcoder};

use super::{call, descriptors, refuse, refused, request, send};

#[tokio::test]
async fn literals_win_over_variables_and_verbs_over_neither() {
    assert_eq!(call("GET", "/things/x", "").await.1["name"], "x");
    assert_eq!(call("GET", "/things/count", "").await.1["name"], "");
    assert_eq!(call("POST", "/things/x:echo", "").await.1["name"], "x");
    assert_eq!(call("GET", "/things/x:y", "").await.1["name"], "x:y");
}

#[tokio::test]
async fn path_variables_are_percent_decoded_and_may_be_nested() {
    let (status, thing) = call("PUT", "/things/a%2Fb%20%C3%A9/inner/c?heavy=true", r#"{"numbers": [1]}"#).await;
    assert_eq!((status, thing["name"].as_str()), (200, Some("a/b \u{e9}")));
    assert_eq!(thing["inner"]["name"], "c");
    assert_eq!(thing["inner"]["numbers"], serde_json::json!([1]));
    assert_eq!(thing["heavy"], true);
    let (status, problem) = refused("GET", "/things/%FF", "").await;
    assert_eq!(status, 400);
    assert!(problem.contains("name") && problem.contains("UTF-8"), "{problem}");
}

#[tokio::test]
async fn unknown_paths_are_404_and_wrong_methods_405_with_what_is_allowed() {
    for path in ["/", "/thing", "/things/", "/things/a/b", "/things.v1.Things/Echo", "//things"] {
        assert_eq!(refused("GET", path, "").await.0, 404, "{path}");
    }
    let (status, headers, _) = send(request("DELETE", "/things", "")).await;
    assert_eq!(
        (status, &headers["allow"]),
        (StatusCode::METHOD_NOT_ALLOWED, &http::HeaderValue::from_static("POST, GET"))
    );
    // The path of one rpc must not match another's variable.
    let (status, headers, _) = send(request("GET", "/things/x:echo", "")).await;
    assert_eq!((status, headers["allow"].to_str().unwrap()), (StatusCode::METHOD_NOT_ALLOWED, "POST"));
}

#[tokio::test]
async fn headers_for_the_rpc_are_passed_on_and_no_others() {
    let mut asked = request("GET", "/things", "");
    for name in ["authorization", "traceparent", "grpc-timeout", "cookie", "connection", "grpc-encoding", "x-other"] {
        asked.headers_mut().insert(name, "5S".parse().unwrap());
    }
    let (_, headers, _) = send(asked).await;
    let mut seen: Vec<&str> = headers.keys().filter_map(|name| name.as_str().strip_prefix("seen-")).collect();
    seen.sort_unstable();
    assert_eq!(seen, ["grpc-timeout", "te", "traceparent"]);
}

#[test]
fn annotations_that_are_wrong_or_not_supported_are_refused_at_start() {
    let contract = |method: &str, rpc: &str| {
        format!(
            "syntax = \"proto3\"; package t; import \"google/api/annotations.proto\";\n\
             service S {{ rpc A({rpc}) returns (M) {{ option (google.api.http) = {{{method}}}; }}\n\
             rpc B(M) returns (M) {{ option (google.api.http) = {{get: \"/b/{{a}}\"}}; }} }}\n\
             message M {{ string a = 1; repeated string b = 2; M c = 3; }}"
        )
    };
    let made = |method: &str, rpc: &str| Transcoder::new(&descriptors(&contract(method, rpc)), Options::new(refuse));
    made("get: \"/a/{a}\"", "M").unwrap();
    for (method, words) in [
        ("get: \"/{x}\"", "not a field"),
        ("get: \"/{b}\"", "repeated"),
        ("get: \"/{c}\"", "more than one value"),
        ("get: \"/a/**\"", "neither"),
        ("post: \"/a\" body: \"x\"", "not a message"),
        ("post: \"/a\" body: \"a\"", "not a message"),
        ("custom: {kind: \"HEAD\" path: \"/a\"}", "none of get"),
        ("get: \"/a\" response_body: \"c\"", "response_body"),
        ("get: \"/b/{a}\"", "is also t.S."),
    ] {
        let problem = made(method, "M").unwrap_err();
        assert!(matches!(problem, BuildError::Annotation { .. }), "{problem}");
        assert!(problem.to_string().contains(words), "{method}: {problem}");
    }
    let problem = made("get: \"/a\"", "stream M").unwrap_err().to_string();
    assert!(problem.contains("client streams"), "{problem}");
}
