//! "Forget that": erasing a message also erases what was learned from it alone; what other messages support stays and
//! is marked.

use kimberly_proto::v1::{self as pb, Role};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User};

/// The statements extracted from a person's message.
async fn heard(user: &mut User, content: &str) -> pb::ExtractedTurn {
    user.heard(pb::Message { role: Role::User.into(), content: content.to_owned(), ..pb::Message::default() }).await
}

async fn link(user: &mut User, from: &str, to: &str) {
    let (from_id, to_id) = (from.to_owned(), to.to_owned());
    let relation = pb::Relation::DerivedFrom.into();
    let link = Some(pb::MemoryLink { from_id, relation, to_id, ..Default::default() });
    let request = pb::LinkRequest { user_id: user.id(), link, request_id: String::new() };
    user.clients.links.link(request).await.expect("a link");
}

async fn stale(user: &mut User) -> Vec<String> {
    let found = user.list(pb::MemoryFilter { stale: true, ..Default::default() }).await;
    found.into_iter().map(|memory| memory.id).collect()
}

#[tokio::test]
async fn what_was_learned_from_a_forgotten_message_alone_goes_with_it() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let turn = heard(&mut ana, "I work as a nurse in Porto.").await;
    let [fact] = &turn.made_ids[..] else { panic!("{turn:?}") };
    let conclusion = ana.remember("She knows the hospital in Porto").await.id;
    link(&mut ana, &conclusion, fact).await;
    let forgotten = ana.forget_now(&[&turn.id]).await;
    assert_eq!(forgotten.also_forgotten, std::slice::from_ref(fact), "{forgotten:?}");
    assert_eq!((forgotten.derived_erased, forgotten.marked_stale), (1, 0), "{forgotten:?}");
    assert!(ana.everything().await.is_empty());
    assert!(ana.recalled("nurse hospital Porto").await.is_empty());
    let request = pb::ListAuditEntriesRequest { user_id: ana.id(), subject: conclusion, ..Default::default() };
    let entries = ana.clients.audit.list_audit_entries(request).await.expect("the audit").into_inner().entries;
    assert!(entries.iter().any(|entry| entry.action == "memory.cascade"), "{entries:?}");
}

#[tokio::test]
async fn what_was_said_twice_is_forgotten_with_both_messages() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let first = heard(&mut ana, "I live in Porto.").await;
    let [fact] = &first.made_ids[..] else { panic!("{first:?}") };
    let again = heard(&mut ana, "Oh, and i live in Porto!").await;
    assert_eq!(again.merged_ids, std::slice::from_ref(fact), "{again:?}");
    ana.forget_now(&[&first.id]).await;
    let left: Vec<String> = ana.everything().await.into_iter().map(|memory| memory.content).collect();
    assert!(left.iter().all(|content| !content.contains("Porto")), "{left:?}");
}

#[tokio::test]
async fn what_two_memories_support_is_stale_and_is_verified() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let (first, again) =
        (ana.remember("The flat in Porto is Ana's").await.id, ana.remember("Ana left for Porto").await.id);
    let fact = &ana.remember("Ana is at home in Porto").await.id;
    link(&mut ana, fact, &first).await;
    link(&mut ana, fact, &again).await;
    let forgotten = ana.forget_now(&[&first]).await;
    assert_eq!((forgotten.derived_erased, forgotten.marked_stale), (0, 1), "{forgotten:?}");
    assert_eq!(stale(&mut ana).await, std::slice::from_ref(fact));
    assert!(ana.memory(fact).await.stale_since.is_some());

    let request = pb::VerifyMemoryRequest { user_id: ana.id(), id: fact.clone(), ..Default::default() };
    ana.clients.records.verify_memory(request).await.expect("it is confirmed");
    assert!(stale(&mut ana).await.is_empty() && ana.memory(fact).await.stale_since.is_none());
    let forgotten = ana.forget_now(&[&again]).await;
    assert_eq!(forgotten.derived_erased, 1, "nothing else says it any more");
}

#[tokio::test]
async fn stale_memories_come_behind_equals_in_recall_unless_that_stage_is_off() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let (one, other) = (ana.remember("said").await.id, ana.remember("also said").await.id);
    let steady = ana.remember("The ferry to Porto leaves at nine").await.id;
    let derived = ana.remember_draft(draft("The ferry to Porto leaves at ten")).await.id;
    link(&mut ana, &derived, &one).await;
    link(&mut ana, &derived, &other).await;
    ana.forget_now(&[&one]).await;
    let user_id = ana.id();
    let query = |on: bool| pb::QueryMemoriesRequest {
        user_id: user_id.clone(),
        query: "when does the ferry to Porto leave".to_owned(),
        explain: true,
        stages: [("stale".to_owned(), on)].into(),
        ..Default::default()
    };
    let answer = ana.clients.memories.query_memories(query(true)).await.expect("an answer").into_inner();
    let ids: Vec<_> = answer.results.iter().filter_map(|result| Some(result.memory.as_ref()?.id.as_str())).collect();
    assert_eq!(ids, [steady.as_str(), derived.as_str()]);
    let part = |result: &pb::QueryResult| result.explanation.as_ref().and_then(|why| why.parts.get("stale").copied());
    let parts: Vec<_> = answer.results.iter().map(part).collect();
    assert_eq!(parts, [Some(1.0), Some(0.5)]);
    let answer = ana.clients.memories.query_memories(query(false)).await.expect("an answer").into_inner();
    assert!(answer.results.iter().all(|result| part(result).is_none()));
    let scores: Vec<f64> = answer.results.iter().map(|result| result.score).collect();
    assert!((scores[0] - scores[1]).abs() < 0.05, "{scores:?}");
}
