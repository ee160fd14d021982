//! A vault with memories of all kinds, filled through the contract.

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::import_item::Memory;
use kimberly_proto::v1::import_memories_request::Message;
use kimberly_tests::corpus::Corpus;
use kimberly_tests::{User, eventually};
use rand::Rng as _;
use tokio_stream::iter;

/// A draft of any kind: all tiers, sessions, speakers, tags, attributes, feedback, consent, times.
pub(crate) fn draft(corpus: &mut Corpus, n: usize) -> pb::MemoryDraft {
    let text = corpus.text();
    let dice = corpus.dice();
    let kind = match dice.random_range(0..4) {
        0 => Some(pb::feedback::Kind::ThumbsUp(dice.random_bool(0.5))),
        1 => Some(pb::feedback::Kind::Rating(dice.random_range(1..=5))),
        _ => None,
    };
    let number = |value: f64| prost_types::Value { kind: Some(prost_types::value::Kind::NumberValue(value)) };
    let fields =
        [("n".to_owned(), number(f64::from(dice.random_range(-9..9)) / 7.0)), ("zero".to_owned(), number(-0.0))];
    let sensitive = dice.random_bool(0.1);
    let named = |name: &str, share: f64, dice: &mut rand::rngs::StdRng| {
        if dice.random_bool(share) { format!("{name} {}", dice.random_range(0..20)) } else { String::new() }
    };
    pb::MemoryDraft {
        tier: dice.random_range(0..=3),
        content: format!("{n}: {} \"quoted\" \\ ünïcödé 🐕", text.content),
        metadata: Some(pb::Metadata {
            tags: if dice.random_bool(0.7) { vec![text.topic.to_owned(), "ta\u{301}g".to_owned()] } else { Vec::new() },
            source: dice.random_range(0..=4),
            channels: if dice.random_bool(0.2) { vec!["voice".to_owned()] } else { Vec::new() },
            sensitive,
            scope: dice.random_range(0..=3),
            user_feedback: kind.map(|kind| pb::Feedback { kind: Some(kind) }),
            version: if dice.random_bool(0.1) { "v9".to_owned() } else { String::new() },
        }),
        attributes: dice.random_bool(0.3).then(|| prost_types::Struct { fields: fields.into() }),
        session_id: named("session", 0.5, dice),
        protected: dice.random_bool(0.1),
        speaker: named("Speaker", 0.5, dice),
        occurred_at: dice.random_bool(0.4).then(|| prost_types::Timestamp {
            seconds: dice.random_range(-62_135_596_800..253_402_300_799),
            nanos: dice.random_range(0..999_999) * 1_000,
        }),
        created_by: dice.random_range(0..=3),
        consent: sensitive || dice.random_bool(0.2),
        namespace: named("namespace", 0.3, dice),
        consent_id: String::new(),
        embed: dice.random_range(0..=3),
        ..Default::default()
    }
}

/// Imports this many drafts.
pub(crate) async fn fill(user: &mut User, count: usize) {
    user.consent().await;
    let mut corpus = Corpus::new(11);
    let start = pb::ImportStart { user_id: user.id(), import_id: "fill".to_owned(), ..Default::default() };
    let item = move |n: usize| pb::ImportItem {
        index: i64::try_from(n).expect("a small index"),
        memory: Some(Memory::Draft(draft(&mut corpus, n))),
    };
    let messages = std::iter::once(Message::Start(start)).chain((0..count).map(item).map(Message::Item));
    let requests =
        iter(messages.map(|message| pb::ImportMemoriesRequest { message: Some(message) }).collect::<Vec<_>>());
    let mut answers = user.clients.memories.import_memories(requests).await.expect("an import begins").into_inner();
    let mut stored = 0;
    while let Some(answer) = answers.message().await.expect("an import goes on") {
        for result in answer.results {
            assert!(matches!(result.outcome, Some(pb::import_result::Outcome::Receipt(_))), "{result:?}");
            stored += 1;
        }
    }
    assert_eq!(stored, count);
}

/// Deletes, restores, ends a session, reports outcomes and reads, so that all states and histories exist.
pub(crate) async fn live(user: &mut User) {
    let all = user.list(pb::MemoryFilter::default()).await;
    let ids: Vec<String> = all.iter().step_by(all.len().div_ceil(100)).map(|memory| memory.id.clone()).collect();
    for (n, id) in ids.iter().enumerate() {
        match n % 5 {
            0 => drop(user.forget(id).await),
            1 => {
                user.forget(id).await;
                user.restore(id).await;
            }
            2 => drop(user.explain(id).await),
            _ => {}
        }
    }
    let outcome = pb::RecordOutcomeRequest {
        user_id: user.id(),
        memory_ids: ids.iter().skip(3).step_by(5).cloned().collect(),
        outcome: pb::Outcome::Helpful.into(),
        ..Default::default()
    };
    user.clients.memories.record_outcome(outcome).await.expect("an outcome is taken");
    for session in 0..5 {
        let request = pb::EndSessionRequest {
            user_id: user.id(),
            session_id: format!("session {session}"),
            ..pb::EndSessionRequest::default()
        };
        user.clients.memories.end_session(request).await.expect("a session ends");
    }
    let read = ids.iter().skip(2).step_by(5).cloned().collect::<Vec<_>>();
    let user = user.clone();
    eventually("touches are written", || async {
        let all = user.clone().everything().await;
        let touched = |id: &String| all.iter().any(|memory| memory.id == *id && memory.access_count > 0);
        read.iter().all(touched).then_some(())
    })
    .await;
}
