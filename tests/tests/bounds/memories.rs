//! Bounds of memories.

use kimberly_proto::v1 as pb;
use kimberly_tests::drafts::{draft, mask};
use prost_types::value::Kind;

use super::{Judge, labels, long, user};

fn create(memory: pb::MemoryDraft) -> pb::CreateMemoryRequest {
    pb::CreateMemoryRequest { user_id: user(), memory: Some(memory), request_id: String::new(), always_new: false }
}

fn with(metadata: pb::Metadata) -> pb::CreateMemoryRequest {
    create(pb::MemoryDraft { metadata: Some(metadata), ..draft("content") })
}

#[tokio::test]
async fn contents() {
    let judge = Judge::new().await;
    let of = |content: &str| create(draft(content));
    judge.holds("length of content", "memory.content", of(&long(64 * 1024)), of(&long(64 * 1024 + 1))).await;
    judge.takes("one byte", of("x")).await;
    judge.refuses("no content", "memory.content", of("")).await;
    judge.refuses("white space", "memory.content", of(" \n\t\u{2003}")).await;
    judge.refuses("no memory", "memory", pb::CreateMemoryRequest { user_id: user(), ..Default::default() }).await;
}

#[tokio::test]
async fn contents_up_to_a_million_bytes_when_so_configured() {
    let system = kimberly_tests::System::start_with(&[("KIMBERLY_LIMITS__MAX_CONTENT", "1000000B")]).await;
    let judge = Judge { system };
    let of = |content: &str| create(draft(content));
    judge.holds("length of content", "memory.content", of(&long(1_000_000)), of(&long(1_000_001))).await;
}

#[tokio::test]
async fn labels_of_memories() {
    let judge = Judge::new().await;
    let tags = |tags| with(pb::Metadata { tags, ..Default::default() });
    judge.holds("tags", "memory.metadata.tags", tags(labels(64)), tags(labels(65))).await;
    judge.holds("length of a tag", "memory.metadata.tags[0]", tags(vec![long(64)]), tags(vec![long(65)])).await;
    judge.refuses("an empty tag", "memory.metadata.tags[1]", tags(vec!["a".to_owned(), " ".to_owned()])).await;
    judge.refuses("a control character", "memory.metadata.tags[0]", tags(vec!["a\u{7}b".to_owned()])).await;
    let channels = |channels| with(pb::Metadata { channels, ..Default::default() });
    judge.holds("channels", "memory.metadata.channels", channels(labels(16)), channels(labels(17))).await;
    judge
        .holds("length of a channel", "memory.metadata.channels[0]", channels(vec![long(64)]), channels(vec![long(65)]))
        .await;
    let version = |version| with(pb::Metadata { version, ..Default::default() });
    judge.holds("version", "memory.metadata.version", version(long(32)), version(long(33))).await;
    let session = |session_id| create(pb::MemoryDraft { session_id, ..draft("content") });
    judge.holds("session", "memory.session_id", session(long(128)), session(long(129))).await;
    let speaker = |speaker| create(pb::MemoryDraft { speaker, ..draft("content") });
    judge.holds("speaker", "memory.speaker", speaker(long(128)), speaker(long(129))).await;
}

#[tokio::test]
async fn feedback_times_and_enums() {
    let judge = Judge::new().await;
    let rated = |rating| {
        let kind = Some(pb::feedback::Kind::Rating(rating));
        with(pb::Metadata { user_feedback: Some(pb::Feedback { kind }), ..Default::default() })
    };
    let field = "memory.metadata.user_feedback.rating";
    judge.holds("smallest rating", field, rated(1), rated(0)).await;
    judge.holds("largest rating", field, rated(5), rated(6)).await;
    let at = |seconds, nanos| {
        create(pb::MemoryDraft { occurred_at: Some(prost_types::Timestamp { seconds, nanos }), ..draft("content") })
    };
    judge.holds("year 1", "memory.occurred_at", at(-62_135_596_800, 0), at(-62_135_596_801, 0)).await;
    judge.holds("year 9999", "memory.occurred_at", at(253_402_300_799, 999_999_999), at(253_402_300_800, 0)).await;
    judge.holds("nanoseconds", "memory.occurred_at", at(0, 999_999_999), at(0, 1_000_000_000)).await;
    judge.refuses("an unknown tier", "memory.tier", create(pb::MemoryDraft { tier: 4, ..draft("content") })).await;
    judge
        .refuses("an unknown source", "memory.metadata.source", with(pb::Metadata { source: 9, ..Default::default() }))
        .await;
    judge
        .refuses("an unknown scope", "memory.metadata.scope", with(pb::Metadata { scope: -1, ..Default::default() }))
        .await;
    judge
        .refuses(
            "an unknown creator",
            "memory.created_by",
            create(pb::MemoryDraft { created_by: 7, ..draft("content") }),
        )
        .await;
}

/// Attributes whose compact JSON has this size: `{"a":"xxx"}` is 8 bytes around the text.
fn attributes_of(bytes: usize) -> pb::CreateMemoryRequest {
    let text = prost_types::Value { kind: Some(Kind::StringValue(long(bytes - 8))) };
    let attributes = Some(prost_types::Struct { fields: [("a".to_owned(), text)].into() });
    create(pb::MemoryDraft { attributes, ..draft("content") })
}

/// Attributes nested to this depth: the object itself is the first level.
fn nested(depth: usize) -> pb::CreateMemoryRequest {
    let mut value = prost_types::Value { kind: Some(Kind::BoolValue(true)) };
    for _ in 1..depth {
        value = prost_types::Value { kind: Some(Kind::ListValue(prost_types::ListValue { values: vec![value] })) };
    }
    let attributes = Some(prost_types::Struct { fields: [("a".to_owned(), value)].into() });
    create(pb::MemoryDraft { attributes, ..draft("content") })
}

#[tokio::test]
async fn attributes() {
    let judge = Judge::new().await;
    judge.holds("size", "memory.attributes", attributes_of(16 * 1024), attributes_of(16 * 1024 + 1)).await;
    judge.takes("32 levels", nested(32)).await;
    if let Ok(()) = kimberly_tests::calls::Call::send(nested(34), judge.system.clients()).await {
        panic!("34 levels were taken");
    }
    let number = prost_types::Value { kind: Some(Kind::NumberValue(f64::NAN)) };
    let attributes = Some(prost_types::Struct { fields: [("a".to_owned(), number)].into() });
    let refused = create(pb::MemoryDraft { attributes, ..draft("content") });
    if let Ok(()) = kimberly_tests::calls::Call::send(refused, judge.system.clients()).await {
        panic!("a number that JSON cannot hold was taken");
    }
}

#[tokio::test]
async fn batches() {
    let judge = Judge::new().await;
    let of = |count: usize, content: &str| pb::BatchCreateMemoriesRequest {
        user_id: user(),
        memories: vec![draft(content); count],
        request_id: String::new(),
        always_new: false,
    };
    judge.holds("most drafts", "memories", of(1_000, "x"), of(1_001, "x")).await;
    judge.refuses("no draft", "memories", of(0, "x")).await;
    judge.holds("most bytes", "memories", of(64, &long(64 * 1024)), of(65, &long(64 * 1024))).await;
}

#[tokio::test]
async fn request_ids() {
    let judge = Judge::new().await;
    let of = |length| pb::CreateMemoryRequest { request_id: long(length), ..create(draft("content")) };
    judge.holds("request id", "request_id", of(128), of(129)).await;
}

#[tokio::test]
async fn updates_and_outcomes() {
    let judge = Judge::new().await;
    let id = judge.system.user("ana").remember("to be changed").await.id;
    let update = |path: &str, memory: pb::MemoryDraft| pb::UpdateMemoryRequest {
        user_id: user(),
        id: id.clone(),
        memory: Some(memory),
        update_mask: Some(mask(&[path])),
        ..Default::default()
    };
    judge
        .takes("a field", update("speaker", pb::MemoryDraft { speaker: "Ana".to_owned(), ..Default::default() }))
        .await;
    judge.refuses("a field that is none", "update_mask", update("score", draft("x"))).await;
    judge
        .refuses(
            "no mask",
            "update_mask",
            pb::UpdateMemoryRequest { update_mask: None, ..update("content", draft("x")) },
        )
        .await;
    judge.refuses("too long", "memory.content", update("content", draft(&long(64 * 1024 + 1)))).await;
    judge
        .refuses("no id", "id", pb::UpdateMemoryRequest { id: "mem_1".to_owned(), ..update("content", draft("x")) })
        .await;
    let outcome = |count, outcome: i32| pb::RecordOutcomeRequest {
        user_id: user(),
        memory_ids: vec![id.clone(); count],
        outcome,
        ..Default::default()
    };
    let found_by = |top_k| pb::RecordOutcomeRequest { top_k, ..outcome(1, 1) };
    judge.holds("results of an outcome's query", "top_k", found_by(100), found_by(101)).await;
    judge.refuses("fewer than no results", "top_k", found_by(-1)).await;
    judge.holds("memories of an outcome", "memory_ids", outcome(100, 1), outcome(101, 1)).await;
    judge.refuses("no memory", "memory_ids", outcome(0, 1)).await;
    judge.refuses("no outcome", "outcome", outcome(1, 0)).await;
    let end = |length| pb::EndSessionRequest { user_id: user(), session_id: long(length), request_id: String::new() };
    judge.holds("session", "session_id", end(128), end(129)).await;
    judge.refuses("no session", "session_id", end(0)).await;
}
