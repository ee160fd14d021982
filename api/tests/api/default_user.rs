//! The user of calls that name none: the server's default user in the open mode, in every dialect alike.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test")]

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::access::{Operation, UserPatterns};
use kimberly_core::settings::ServerDefaults;
use kimberly_core::usecases::keys::CreateKeyInput;
use kimberly_proto::v1;
use kimberly_proto::v1::consent_service_client::ConsentServiceClient;
use kimberly_proto::v1::conversation_service_client::ConversationServiceClient;
use kimberly_proto::v1::erasure_service_client::ErasureServiceClient;
use kimberly_proto::v1::get_metrics_response::Metrics;
use kimberly_proto::v1::maintenance_service_client::MaintenanceServiceClient;
use kimberly_proto::v1::named_record_service_client::NamedRecordServiceClient;
use kimberly_proto::v1::record_service_client::RecordServiceClient;
use kimberly_proto::v1::server_service_client::ServerServiceClient;
use kimberly_runtime::config::{AuthConfig, AuthMode, Config};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::access::call;
use crate::common::{Served, draft, everything, fields};
use crate::http::{get, post, send};
use crate::source::CREATE;

/// A server with a mode and a default user.
async fn serving(mode: AuthMode, user: &str) -> Served {
    let auth = AuthConfig { mode, default_user: user.to_owned(), ..AuthConfig::default() };
    Served::configured(ServerDefaults::default(), Config { auth, ..Config::default() }).await
}

/// Calls a tool of MCP at the bare address.
async fn tool(served: &Served, name: &str, arguments: &Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let headers = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";
    send(served, "POST", "/mcp", headers, &body).await.json()
}

/// The contents that a user's memory holds, sorted.
async fn contents(served: &Served, user: &str) -> Vec<String> {
    let request = v1::ListMemoriesRequest { user_id: user.to_owned(), ..Default::default() };
    let listed = served.memories().list_memories(request).await.unwrap().into_inner().memories;
    let mut contents: Vec<String> = listed.into_iter().map(|memory| memory.content).collect();
    contents.sort();
    contents
}

fn without_user(content: &str) -> v1::CreateMemoryRequest {
    v1::CreateMemoryRequest { memory: Some(draft(content)), ..Default::default() }
}

#[tokio::test]
async fn calls_without_a_user_are_of_the_default_user_in_every_dialect() {
    let served = Served::start().await;
    let made = send(&served, "POST", "/memory", "content-type: application/json\r\n", CREATE).await;
    assert_eq!(made.status, 200, "{}", made.body);
    served.create(without_user("Told over gRPC")).await.unwrap();
    let told = tool(&served, "remember", &json!({"content": "Told over MCP"})).await;
    assert!(told["result"].is_object() && told["result"]["isError"] != true, "{told}");

    let all = ["Prefers black coffee", "Told over MCP", "Told over gRPC"];
    assert_eq!(contents(&served, "").await, all);
    assert_eq!(contents(&served, "me").await, all);
    let listed = get(&served, "/memory").await.json();
    assert_eq!(listed["memories"].as_array().unwrap().len(), 3);
    assert_eq!(listed["memories"][0]["userId"], "me");
    let found = post(&served, "/memory/query", &json!({"query": "coffee"})).await.json();
    assert_eq!(found["results"][0]["content"], "Prefers black coffee");
    let recalled = tool(&served, "recall", &json!({"query": "coffee"})).await.to_string();
    assert!(recalled.contains("Prefers black coffee"), "{recalled}");
    let one = get(&served, &format!("/memory/{}", made.json()["id"].as_str().unwrap())).await;
    assert_eq!(one.json()["memory"]["content"], "Prefers black coffee");

    let mut maintenance = MaintenanceServiceClient::new(served.channel.clone());
    served.remember("Ada's own").await;
    let users = maintenance.list_users(v1::ListUsersRequest::default()).await.unwrap().into_inner().users;
    assert_eq!(users.iter().map(|user| user.user_id.as_str()).collect::<Vec<_>>(), ["ada", "me"]);
    let first = v1::ListUsersRequest { page_size: 1, page_token: String::new() };
    let page = maintenance.list_users(first).await.unwrap().into_inner();
    let next = v1::ListUsersRequest { page_size: 1, page_token: page.next_page_token };
    assert_eq!(maintenance.list_users(next).await.unwrap().into_inner().users[0].user_id, "me");
}

#[tokio::test]
async fn default_user_is_a_setting_that_the_server_reports() {
    let served = serving(AuthMode::Open, "ana").await;
    served.create(without_user("x")).await.unwrap();
    assert_eq!(contents(&served, "ana").await, ["x"]);
    let reported = async |served: &Served| {
        let mut info = ServerServiceClient::new(served.channel.clone());
        info.get_server_info(v1::GetServerInfoRequest {}).await.unwrap().into_inner().default_user
    };
    assert_eq!(reported(&served).await, "ana");

    let none = serving(AuthMode::Open, "").await;
    assert_eq!(fields(&none.create(without_user("x")).await.unwrap_err()), ["user_id"]);
    assert_eq!((reported(&none).await.as_str(), get(&none, "/memory").await.status), ("", 400));
    let unnamed = tool(&none, "remember", &json!({"content": "x"})).await;
    assert!(unnamed["error"]["message"].as_str().unwrap().contains("?user_id=NAME"), "{unnamed}");
    assert_eq!(reported(&serving(AuthMode::Required, "ana").await).await, "");
}

#[tokio::test]
async fn where_credentials_are_required_only_a_key_for_one_user_implies_them() {
    let served = serving(AuthMode::Required, "me").await;
    let input = |name: &str, n, users: &[&str]| CreateKeyInput {
        users: UserPatterns::parse("users", users).unwrap(),
        ..everything(name, n)
    };
    let own = served.make_key(input("own", 1, &["ada"])).await;
    let all = served.make_key(everything("all", 2)).await;
    let with = |key: &str| format!("content-type: application/json\r\nauthorization: Bearer {key}\r\n");
    let ask =
        async |key: &str, method: &str, path: &str, body: &str| send(&served, method, path, &with(key), body).await;
    assert_eq!(ask(&own, "POST", "/memory", CREATE).await.status, 200);
    assert_eq!(ask(&own, "GET", "/memory", "").await.json()["memories"][0]["userId"], "ada");
    let nobody = ask(&all, "POST", "/memory", CREATE).await;
    assert!(nobody.status == 400 && nobody.body.contains("user_id"), "{}", nobody.body);
    let (own, all) = (Some(own.as_str()), Some(all.as_str()));
    call(&served, "/kimberly.v1.MemoryService/ListMemories", "", own).await.unwrap();
    let refused = call(&served, "/kimberly.v1.MemoryService/ListMemories", "", all).await.unwrap_err();
    assert_eq!(fields(&refused), ["user_id"]);
    // Such a key never means the system, but its own user.
    call(&served, "/kimberly.v1.MetricsService/GetMetrics", "", own).await.unwrap();
    let reader = served
        .make_key(CreateKeyInput {
            operations: [Operation::Read].into_iter().collect(),
            ..input("r", 3, &["ada", "bob"])
        })
        .await;
    call(&served, "/kimberly.v1.MetricsService/GetMetrics", "", Some(&reader)).await.unwrap_err();
}

#[tokio::test]
async fn without_a_user_the_system_still_means_the_system_and_nothing_is_purged() {
    let served = Served::start().await;
    served.create(without_user("I drink tea")).await.unwrap();
    let usage = served.metrics().get_metrics(v1::GetMetricsRequest::default()).await.unwrap().into_inner();
    assert!(matches!(usage.metrics, Some(Metrics::System(_))), "{usage:?}");
    assert!(get(&served, "/memory/metrics").await.json()["system"].is_object());

    let mut erasure = ErasureServiceClient::new(served.channel.clone());
    let purge = v1::PurgeUserRequest { user_id: String::new(), confirm_user_id: "me".to_owned() };
    assert_eq!(fields(&erasure.purge_user(purge).await.unwrap_err()), ["user_id"]);
    let retract = v1::RetractConsentRequest { id: "con_1".to_owned(), ..Default::default() };
    let mut consents = ConsentServiceClient::new(served.channel.clone());
    assert_eq!(fields(&consents.retract_consent(retract).await.unwrap_err()), ["user_id"]);
    let mut records = RecordServiceClient::new(served.channel.clone());
    assert_eq!(fields(&records.run_forgetting(v1::RunForgettingRequest::default()).await.unwrap_err()), ["user_id"]);
    assert!(erasure.list_purges(v1::ListPurgesRequest::default()).await.unwrap().into_inner().purges.is_empty());
    assert_eq!(contents(&served, "me").await, ["I drink tea"]);
}

#[tokio::test]
async fn every_call_of_a_user_takes_the_default_user_or_demands_a_name() {
    let served = Served::start().await;
    let mut demanding = Vec::new();
    let streams = ["Memory/ImportMemories", "Conversation/ObserveStream", "Attachment/UploadAttachment"];
    let streams = streams.map(|stream| format!("/kimberly.v1.{}", stream.replace('/', "Service/")));
    for path in crate::limits::paths().into_iter().chain(streams) {
        // Watches send nothing until something happens.
        if path.contains("/Watch") {
            continue;
        }
        let refused = call(&served, &path, "", None).await.err();
        if refused.is_some_and(|status| status.message().contains("is required: 1-128 bytes that name the user")) {
            demanding.push(path.rsplit('/').next().unwrap_or_default().to_owned());
        }
    }
    demanding.sort();
    assert_eq!(demanding, ["PurgeUser", "RetractConsent", "RunForgetting"]);
}

#[tokio::test]
async fn looking_with_peek_does_not_count_as_use() {
    let served = Served::start().await;
    let id = served.create(without_user("I drink tea without sugar")).await.unwrap().id;
    served
        .create(v1::CreateMemoryRequest {
            memory: Some(v1::MemoryDraft { name: "tea".to_owned(), kind: v1::Kind::Note.into(), ..draft("Oolong") }),
            ..Default::default()
        })
        .await
        .unwrap();
    for peek in [true, false] {
        let query = v1::QueryMemoriesRequest { query: "tea".to_owned(), peek, ..Default::default() };
        assert!(!served.memories().query_memories(query).await.unwrap().into_inner().results.is_empty());
        let read = v1::GetMemoryRequest { id: id.clone(), explain: true, peek, ..Default::default() };
        served.memories().get_memory(read).await.unwrap();
        let context = v1::GetContextRequest { query: "tea".to_owned(), peek, ..Default::default() };
        let mut conversations = ConversationServiceClient::new(served.channel.clone());
        assert!(!conversations.get_context(context).await.unwrap().into_inner().items.is_empty());
        let named = v1::GetNamedRecordRequest { name: "tea".to_owned(), peek, ..Default::default() };
        NamedRecordServiceClient::new(served.channel.clone()).get_named_record(named).await.unwrap();
        // A run that is stopped writes what waits.
        let stop = CancellationToken::new();
        stop.cancel();
        Arc::clone(&served.api.touches).run(served.app.clone(), Duration::from_mins(1), stop).await;
        let listed = v1::ListMemoriesRequest::default();
        for memory in served.memories().list_memories(listed).await.unwrap().into_inner().memories {
            assert_eq!(memory.access_count == 0, peek, "{memory:?}");
        }
    }
}
