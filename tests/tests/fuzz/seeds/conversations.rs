//! Requests about conversations.

use kimberly_proto::v1 as pb;

use super::{Seed, USER, seed};

pub(super) fn seeds() -> Vec<Seed> {
    let (user_id, session_id, namespace) = (USER.to_owned(), "session".to_owned(), "travels".to_owned());
    let message = pb::Message {
        id: "1".to_owned(),
        role: pb::Role::Tool.into(),
        content: "The train to Porto leaves at 9:40.".to_owned(),
        tool: "trains".to_owned(),
        tool_call_id: "call".to_owned(),
        ..pb::Message::default()
    };
    vec![
        seed(
            "/kimberly.v1.ConversationService/Observe",
            &pb::ObserveRequest {
                user_id: user_id.clone(),
                session_id: session_id.clone(),
                messages: vec![message.clone()],
                namespace: namespace.clone(),
                ..pb::ObserveRequest::default()
            },
        ),
        seed(
            "/kimberly.v1.ConversationService/Observe",
            &pb::ObserveRequest {
                user_id: user_id.clone(),
                session_id: session_id.clone(),
                messages: vec![message],
                dry_run: true,
                ..pb::ObserveRequest::default()
            },
        ),
        seed(
            "/kimberly.v1.ConversationService/GetContext",
            &pb::GetContextRequest {
                user_id: user_id.clone(),
                session_id: session_id.clone(),
                query: "when does the train leave?".to_owned(),
                budget_tokens: 1_000,
                context_window_tokens: 8_000,
                parts: vec![pb::ContextPart::Snapshots.into(), pb::ContextPart::Turns.into()],
                tokens_per_byte: Some(0.3),
                min_relevance: Some(0.1),
                ..pb::GetContextRequest::default()
            },
        ),
        seed(
            "/kimberly.v1.ConversationService/CompactSession",
            &pb::CompactSessionRequest { user_id, session_id, namespace, keep: Some(1), wait: true },
        ),
    ]
}
