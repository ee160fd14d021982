//! The document that first described Kimberly: its examples work as printed (K-8.1, K-8.2).

use serde_json::{Value, json};

use crate::common::{Served, USER, everything};
use crate::http::{Answer, get, post, send};

/// As printed under "Creating memory".
pub(crate) const CREATE: &str = r#"{"type": "long-term", "content": "Prefers black coffee",
"metadata": {"tags":["preference"]}}"#;

async fn post_text(served: &Served, path: &str, headers: &str, body: &str) -> Answer {
    send(served, "POST", path, &format!("content-type: application/json\r\n{headers}"), body).await
}

#[tokio::test]
async fn memory_is_created_listed_and_queried_in_the_words_of_the_document() {
    let served = Served::start().await;
    let made = post_text(&served, &format!("/memory?user_id={USER}"), "", CREATE).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let made = made.json();
    let id = made["id"].as_str().unwrap();
    assert_eq!(
        (&made["type"], made["size_bytes"].is_u64(), made["score"].is_number()),
        (&json!("long-term"), true, true)
    );
    assert_eq!(made["receipt"]["id"], id, "beside what the contract says");

    let listed = get(&served, &format!("/memory?user_id={USER}&type=long-term&tags=preference")).await.json();
    assert_eq!(listed["memories"][0]["id"], id);
    for other in ["type=short-term", "tags=meeting", "created_after=2999-01-01T00:00:00Z"] {
        let none = get(&served, &format!("/memory?user_id={USER}&{other}")).await.json();
        assert_eq!(none["memories"], json!([]), "{other}");
    }

    let asked = json!({"user_id": USER, "query": "coffee", "type": "long-term", "top_k": 3,
        "filters": {"tags": ["preference"], "sources": ["chat"]}});
    let found = post(&served, "/memory/query", &asked).await;
    assert_eq!(found.status, 200, "{}", found.body);
    let item = &found.json()["results"][0];
    for (name, value) in [
        ("id", json!(id)),
        ("user_id", json!(USER)),
        ("type", json!("long-term")),
        ("content", json!("Prefers black coffee")),
        ("audit", json!({"created_by": "user", "consent": false})),
    ] {
        assert_eq!(item[name], value, "{name}");
    }
    assert_eq!((&item["metadata"]["source"], &item["metadata"]["scope"]), (&json!("chat"), &json!("private")));
    assert!(item["size_bytes"].is_u64() && item["score"].is_number() && item["created_at"].is_string());
    let asked = json!({"userId": USER, "query": "coffee", "filters": {"tags": "meeting"}});
    assert_eq!(post(&served, "/memory/query", &asked).await.json()["results"], json!([]));
}

#[tokio::test]
async fn metadata_of_the_document_is_taken_and_told_in_its_words() {
    let served = Served::start().await;
    let metadata = json!({"tags": ["preference", "meeting"], "source": "upload", "channels": ["mobile", "voice"],
        "sensitive": false, "scope": "shared", "user_feedback": "rating:4", "version": "v1"});
    let body = json!({"user_id": USER, "type": "permanent", "content": "A fact", "metadata": metadata});
    assert_eq!(post(&served, "/memory", &body).await.status, 200);
    let found = post(&served, "/memory/query", &json!({"userId": USER, "query": "fact"})).await.json();
    assert_eq!(found["results"][0]["metadata"], metadata);
    let wrong = json!({"userId": USER, "content": "x", "metadata": {"user_feedback": "rating:many"}});
    let wrong = post(&served, "/memory", &wrong).await;
    assert!(wrong.status == 400 && wrong.body.contains("thumbs_up, thumbs_down or rating:1"), "{}", wrong.body);
}

#[tokio::test]
async fn meditation_answers_with_its_status_and_counts() {
    let served = Served::start().await;
    served.remember("something").await;
    let plan = send(&served, "POST", &format!("/memory/meditate?dry_run=true&user_id={USER}"), "", "").await.json();
    let told = |answer: &Value| ["status", "processed", "pruned", "archived"].map(|name| answer[name].clone());
    assert_eq!(told(&plan), [json!("complete"), json!(1), json!(0), json!(0)], "{plan}");
    assert_eq!(plan["meditation"]["processed"], "1");
    let run = post(&served, "/memory/meditate", &json!({"userId": USER})).await.json();
    assert_eq!(run["status"], "scheduled");
}

#[tokio::test]
async fn embed_takes_vectors() {
    let served = Served::start().await;
    let item = json!({"id": format!("mem_{}", uuid::Uuid::nil()), "fingerprint": "0123456789abcdef", "vectors": [{"values": [1]}]});
    let upload = json!({"userId": USER, "model": "all-minilm-l6-v2-0123456789abcdef", "items": [item]});
    let answer = post(&served, "/memory/embed", &upload).await;
    assert_eq!((answer.status, answer.reason().as_str()), (400, "EMBEDDINGS_OFF"), "{}", answer.body);
    let empty = post(&served, "/memory/embed", &json!({"userId": USER})).await;
    assert!(empty.body.contains("\"field\":\"model\""), "{}", empty.body);
}

#[tokio::test]
async fn key_for_one_user_needs_to_name_none() {
    let served = Served::start().await;
    let mut input = everything("ada-alone", 1);
    input.users = kimberly_core::access::UserPatterns::parse("users", &[USER]).unwrap();
    let authorization = format!("authorization: Bearer {}\r\n", served.make_key(input).await);
    let made = post_text(&served, "/memory", &authorization, CREATE).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let listed = send(&served, "GET", "/memory?type=long-term", &authorization, "").await.json();
    assert_eq!(listed["memories"][0]["userId"], USER);
    let usage = send(&served, "GET", "/memory/metrics", &authorization, "").await;
    assert_eq!(usage.status, 200, "{}", usage.body);
    let other = post_text(&served, "/memory?user_id=eve", &authorization, CREATE).await;
    assert_eq!(other.status, 403);
}

#[tokio::test]
async fn what_is_said_twice_and_differently_is_refused() {
    let served = Served::start().await;
    for (path, body, field) in [
        ("/memory/query?user_id=eve", json!({"userId": USER, "query": "x"}), "user_id"),
        ("/memory", json!({"userId": USER, "content": "a", "memory": {"content": "b"}}), "content"),
        (
            "/memory/query",
            json!({"userId": USER, "query": "x", "filters": {"tiers": []}, "filter": {"tiers": []}}),
            "filters",
        ),
    ] {
        let answer = post(&served, path, &body).await;
        assert_eq!((answer.status, answer.reason().as_str()), (400, "INVALID_FIELD"), "{}", answer.body);
        assert!(answer.body.contains(&format!("\"field\":\"{field}\"")), "{}", answer.body);
    }
}

#[tokio::test]
async fn root_says_what_this_is() {
    let served = Served::start().await;
    let root = get(&served, "/").await;
    assert_eq!((root.status, root.json()["openapi"].as_str()), (200, Some("/openapi.json")));
    let page = send(&served, "GET", "/", "accept: text/plain,*/*;q=0.8\r\n", "").await;
    assert!(page.head.contains("content-type: text/plain") && page.body.contains("/openapi.json"), "{}", page.body);
}

#[tokio::test]
async fn attributes_come_back_as_they_came_and_masks_are_taken_in_both_spellings() {
    let served = Served::start().await;
    let attributes = r#"{"n":3,"x":[0.1,-7,{"y":9007199254740992}]}"#;
    let body = format!(r#"{{"userId": "{USER}", "memory": {{"content": "c", "attributes": {attributes}}}}}"#);
    let id = post_text(&served, "/memory", "", &body).await.json()["id"].as_str().unwrap().to_owned();
    let read = get(&served, &format!("/memory/{id}?user_id={USER}")).await;
    assert!(read.body.contains(attributes), "{}", read.body);
    let long =
        format!(r#"{{"userId": "{USER}", "content": "c", "memory": {{"attributes": {{"n": 12345678901234567890}}}}}}"#);
    let refused = post_text(&served, "/memory", "", &long).await;
    assert!(refused.status == 400 && refused.body.contains("cannot be kept exactly"), "{}", refused.body);
    for (mask, session) in [("session_id", "one"), ("sessionId", "two")] {
        let change = json!({"userId": USER, "memory": {"sessionId": session}, "updateMask": mask}).to_string();
        let path = format!("/memory/{id}");
        let answer = send(&served, "PATCH", &path, "content-type: application/json\r\n", &change).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(get(&served, &format!("/memory/{id}?user_id={USER}")).await.json()["memory"]["sessionId"], session);
    }
    let mark = json!({"userId": USER, "memory": {"embed": "never"}, "updateMask": "embed"}).to_string();
    let marked = send(&served, "PATCH", &format!("/memory/{id}"), "content-type: application/json\r\n", &mark).await;
    assert_eq!(marked.status, 200, "{}", marked.body);
    let read = get(&served, &format!("/memory/{id}?user_id={USER}")).await.json();
    assert_eq!(read["memory"]["embed"], "EMBED_MARK_NEVER");
    let created = json!({"userId": USER, "memory": {"content": "c", "embed": "always"}});
    let id = post_text(&served, "/memory", "", &created.to_string()).await.json()["id"].as_str().unwrap().to_owned();
    let read = get(&served, &format!("/memory/{id}?user_id={USER}")).await.json();
    assert_eq!(read["memory"]["embed"], "EMBED_MARK_ALWAYS");
}
