//! Conversations and contexts as JSON, and who may write and read them.

use kimberly_proto::v1;
use kimberly_proto::v1::conversation_service_client::ConversationServiceClient;
use serde_json::{Value, json};

use crate::common::{Served, USER};
use crate::http::{post, send};

async fn observe(served: &Served, body: &Value) -> Value {
    post(served, &format!("/v1/users/{USER}/conversation:observe"), body).await.json()
}

#[tokio::test]
async fn messages_come_in_and_contexts_go_out_as_json() {
    let served = Served::start().await;
    let messages = json!([
        {"role": "user", "content": "Where is the tram?", "id": "m1", "attributes": {"page": 3}},
        {"role": "ROLE_ASSISTANT", "content": "Around the corner.", "name": "Kim"},
        {"role": "tool", "content": "{}", "tool": "maps", "tool_call_id": "c1"},
    ]);
    let taken = observe(&served, &json!({"sessionId": "s", "messages": messages})).await;
    assert_eq!((&taken["stored"], &taken["messages"][0]["outcome"]), (&json!(3), &json!("MESSAGE_OUTCOME_STORED")));
    let id = taken["messages"][0]["id"].as_str().unwrap_or_default().to_owned();
    let turn = served.get(&id).await.expect("a turn");
    assert_eq!((turn.source_ref.as_str(), turn.attributes.is_some()), ("m1", true), "{turn:?}");
    let again = observe(&served, &json!({"session_id": "s", "messages": messages})).await;
    assert_eq!(
        again["messages"][0],
        json!({
            "outcome": "MESSAGE_OUTCOME_DUPLICATE", "id": id, "cut": false, "masked": false, "withoutQuotes": false,
            "withoutForgotten": false, "problem": "",
        })
    );
    let asked = json!({"session_id": "s", "parts": ["turns"], "tokens_per_byte": 0.5});
    let context = post(&served, &format!("/v1/users/{USER}/context"), &asked).await.json();
    let text = context["text"].as_str().unwrap_or_default();
    assert!(text.contains("| Kim: Around the corner.\n| tool: {}\n"), "{context}");
    assert_eq!((&context["items"][0]["id"], &context["items"][0]["trust"]), (&json!(id), &json!("CONTEXT_TRUST_SAID")));
    let refused = post(&served, &format!("/v1/users/{USER}/context"), &json!({"parts": ["all"]})).await;
    assert_eq!(refused.status, 400, "{}", refused.body);
}

#[tokio::test]
async fn messages_of_every_provider_are_taken_and_a_bad_one_does_not_stop_them() {
    let served = Served::start().await;
    let messages = json!([
        {"role": "developer", "content": "Be brief."},
        {"role": "human", "content": [{"type": "text", "text": "I keep bees."}], "additional_kwargs": {}},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function"}], "refusal": null},
        {"role": "poet", "content": "tea"},
        7,
        {"type": "ai", "content": "Bees like the canals."},
        {"role": "user", "content": "tea", "id": "x".repeat(129)},
        {"role": "user", "content": "I moved to\u{0}Ghent."},
    ]);
    let taken = observe(&served, &json!({"sessionId": "s", "messages": messages})).await;
    let each = taken["messages"].as_array().unwrap_or_else(|| panic!("{taken}"));
    let outcomes: Vec<_> = each
        .iter()
        .map(|one| one["outcome"].as_str().unwrap_or_default().trim_start_matches("MESSAGE_OUTCOME_"))
        .collect();
    assert_eq!(outcomes, ["SYSTEM", "STORED", "EMPTY", "INVALID", "INVALID", "STORED", "INVALID", "STORED"]);
    for (index, problem) in
        [(3, "messages[3] cannot be read"), (4, "not an object"), (6, "messages[6].id has 129 bytes")]
    {
        assert!(each[index]["problem"].as_str().unwrap_or_default().contains(problem), "{taken}");
    }
    let stored = served.get(each[7]["id"].as_str().unwrap_or_default()).await.expect("a turn");
    assert_eq!(stored.content, "I moved to Ghent.");
    let again = observe(&served, &json!({"sessionId": "s", "messages": messages})).await;
    assert_eq!(again["stored"], 0, "{again}");
    let alone = json!({"sessionId": "s", "messages": [7]});
    let refused = post(&served, &format!("/v1/users/{USER}/conversation:observe"), &alone).await;
    assert!(refused.status == 400 && refused.body.contains("messages[0]"), "{}", refused.body);
}

#[tokio::test]
async fn half_an_emoji_and_a_raw_nul_refuse_no_body() {
    let served = Served::start().await;
    let path = format!("/v1/users/{USER}/conversation:observe");
    let body = "{\"sessionId\": \"s\", \"messages\": [{\"role\": \"user\", \"content\": \"tea \\ud83d\"},
        {\"role\": \"user\", \"content\": \"bees \\ud83d\\udc1d \\u0000 \u{0} !\"}]}";
    let taken = send(&served, "POST", &path, "content-type: application/json\r\n", body).await.json();
    let ids = taken["messages"].as_array().unwrap_or_else(|| panic!("{taken}")).iter().map(|one| one["id"].as_str());
    let mut contents = Vec::new();
    for id in ids {
        contents.push(served.get(id.unwrap_or_default()).await.expect("a turn").content);
    }
    assert_eq!(contents, ["tea \u{FFFD}", "bees \u{1F41D}     !"]);
}

#[tokio::test]
async fn a_user_without_memories_has_no_context_and_gets_no_vault_by_asking() {
    let served = Served::start().await;
    let request = v1::GetContextRequest { user_id: "nobody".to_owned(), query: "tea".to_owned(), ..Default::default() };
    let mut conversations = ConversationServiceClient::new(served.channel.clone());
    let context = conversations.get_context(request).await.expect("a context").into_inner();
    assert_eq!((context.text.as_str(), context.tokens, context.items.len()), ("", 0, 0));
}
