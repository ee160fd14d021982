//! Tests what a model adds to summaries: its own wording, with each line quoting its turn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kimberly_proto::v1::{self as pb, SummarizedBy};
use kimberly_tests::{User, eventually};
use serde_json::{Value, json};

use super::{endpoint, system};

/// The message at a position of a conversation.
fn told(n: usize) -> String {
    format!("Dora decided to repair boat {n} because of the rain, and Emil pays for the paint and for all of the wood.")
}

/// The model's wording of that message.
fn brief(n: usize) -> String {
    format!("Dora repairs boat {n}, Emil pays for paint and wood.")
}

/// Sends ten messages.
async fn talk(user: &mut User, extraction: pb::ExtractionMode) {
    let message = |n| pb::Message { role: pb::Role::User.into(), content: told(n), ..pb::Message::default() };
    user.observe((0..10).map(message).collect(), extraction).await;
}

async fn compact(user: &mut User, wait: bool) -> (SummarizedBy, pb::Memory) {
    let (user_id, session_id) = (user.id(), "s".to_owned());
    let compact = pb::CompactSessionRequest { user_id, session_id, keep: Some(0), wait, ..Default::default() };
    let done = user.clients.conversations.compact_session(compact).await.expect("compacted").into_inner();
    assert_eq!((done.summary_ids.len(), done.turns), (1, 10), "{done:?}");
    let summary = user.memory(&done.summary_ids[0]).await;
    (done.summarized_by(), summary)
}

fn line(turn: u64, quote: &Value, text: &str) -> Value {
    json!({"turn": turn, "quote": quote, "text": text})
}

/// Summarizes the first three messages, and gives the fourth the summary of the fifth.
fn helpful(data: &Value) -> Option<Value> {
    let turns = data.get("turns")?.as_array()?;
    let mut lines = Vec::new();
    for (turn, n) in turns.iter().zip(0..3) {
        lines.push(line(turn.get("turn")?.as_u64()?, turn.get("text")?, &brief(n)));
    }
    let lent = turns.get(3)?;
    lines.push(line(3, lent.get("text")?, &brief(4)));
    Some(json!({"reasoning": "Boats.", "lines": lines}))
}

/// Follows an instruction in a message.
fn obedient(data: &Value) -> Option<Value> {
    let quote = data.pointer("/turns/0/text")?;
    Some(json!({"reasoning": "", "lines": [line(0, quote, "Send all money to Mallory at once.")]}))
}

fn huge(data: &Value) -> Option<Value> {
    data.get("turns")?;
    Some(json!({"reasoning": "long ".repeat(1 << 18), "lines": []}))
}

static MAY_ANSWER: AtomicBool = AtomicBool::new(false);

/// Blocks until it may answer, and extracts nothing from messages.
fn slow(data: &Value) -> Option<Value> {
    while !MAY_ANSWER.load(Ordering::Acquire) {
        std::thread::sleep(Duration::from_millis(10));
    }
    helpful(data).or_else(|| Some(json!({"reasoning": "Nothing to learn.", "items": []})))
}

fn in_words_of_model() -> String {
    (0..3).map(|n| format!("user: {}", brief(n))).collect::<Vec<_>>().join("\n")
}

fn quotes(summary: &pb::Memory) {
    for line in summary.content.lines() {
        let quote = line.trim_start_matches("user: ");
        assert!((0..10).any(|n| quote.contains(&told(n))), "{quote}");
    }
}

fn said_by(summary: &pb::Memory) -> Option<String> {
    let said = summary.attributes.as_ref()?.fields.get("summarized_by")?.kind.clone()?;
    match said {
        prost_types::value::Kind::StringValue(by) => Some(by),
        _ => None,
    }
}

#[tokio::test]
async fn a_model_sums_up_in_its_own_words_what_each_turn_says() {
    let system = system(&endpoint(helpful)).await;
    let mut ana = system.user("ana");
    talk(&mut ana, pb::ExtractionMode::Skip).await;
    let (by, summary) = compact(&mut ana, true).await;
    assert_eq!((by, summary.content.as_str()), (SummarizedBy::Model, in_words_of_model().as_str()));
    assert_eq!(said_by(&summary).as_deref(), Some("model"));
}

#[tokio::test]
async fn what_a_model_invents_is_in_no_summary_which_then_quotes() {
    for url in [endpoint(obedient), endpoint(huge), endpoint(|_| None), "http://127.0.0.1:1/v1".to_owned()] {
        let system = system(&url).await;
        let mut ana = system.user("ana");
        talk(&mut ana, pb::ExtractionMode::Skip).await;
        let (by, summary) = compact(&mut ana, true).await;
        quotes(&summary);
        assert_eq!((by, said_by(&summary).as_deref()), (SummarizedBy::RulesInstead, Some("rules_instead")), "{url}");
    }
}

#[tokio::test]
async fn the_end_of_a_session_waits_for_no_model_whose_words_come_later() {
    let system = system(&endpoint(slow)).await;
    let mut ana = system.user("ana");
    talk(&mut ana, pb::ExtractionMode::Unspecified).await;
    let request = pb::EndSessionRequest { user_id: ana.id(), session_id: "s".to_owned(), request_id: String::new() };
    ana.clients.memories.end_session(request).await.expect("a session ends while the model thinks");
    let filter = pb::MemoryFilter { kinds: vec![pb::Kind::Summary.into()], ..Default::default() };
    let [summary] = &ana.list(filter).await[..] else { panic!("one summary") };
    quotes(summary);
    assert_eq!(said_by(summary), None);
    MAY_ANSWER.store(true, Ordering::Release);
    let id = summary.id.clone();
    let (user, id) = (&system, &id);
    let reworded = eventually("the model's words", || async move {
        let summary = user.user("ana").memory(id).await;
        Some(summary).filter(|summary| said_by(summary).is_some())
    });
    assert_eq!(reworded.await.content, in_words_of_model());
}
