//! What was forgotten stays forgotten when it is sent or imported again; said anew later, it is learned anew.

use kimberly_proto::v1::import_item::Memory as Item;
use kimberly_proto::v1::import_result::Outcome;
use kimberly_proto::v1::{self as pb, MessageOutcome, Role};
use kimberly_tests::drafts::draft;
use kimberly_tests::exports::now;
use kimberly_tests::{System, User};
use prost_types::Timestamp;

const DAY: i64 = 24 * 60 * 60;

fn said(content: &str, days: Option<i64>) -> pb::Message {
    let at = |days: i64| Timestamp { seconds: now().seconds + days * DAY, nanos: 0 };
    pb::Message { role: Role::User.into(), content: content.to_owned(), time: days.map(at), ..Default::default() }
}

async fn talk(user: &mut User, session: &str, said: &[pb::Message]) -> Vec<pb::ObservedMessage> {
    let request = pb::ObserveRequest {
        user_id: user.id(),
        session_id: session.to_owned(),
        messages: said.to_vec(),
        extraction: pb::ExtractionMode::Wait.into(),
        ..Default::default()
    };
    user.clients.conversations.observe(request).await.expect("messages are taken in").into_inner().messages
}

fn outcomes(messages: &[pb::ObservedMessage]) -> Vec<MessageOutcome> {
    messages.iter().map(pb::ObservedMessage::outcome).collect()
}

async fn holding(user: &mut User, word: &str) -> Vec<String> {
    let all = user.list(pb::MemoryFilter { any_time: true, ..Default::default() }).await;
    all.into_iter().map(|memory| memory.content).filter(|content| content.contains(word)).collect()
}

#[tokio::test]
async fn a_transcript_that_is_sent_again_does_not_bring_it_back() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let old = [said("My boss is Maria Lund.", Some(-9)), said("I like rye bread a lot.", Some(-9))];
    let first = talk(&mut ana, "one", &old).await;
    let undated = [said("Ok then. My locker is number 114. My locker is number 114.", None)];
    let second = talk(&mut ana, "two", &undated).await;
    ana.forget(&first[0].id).await;
    ana.forget_now(&[&second[0].id]).await;
    assert_eq!(
        outcomes(&talk(&mut ana, "three", &old).await),
        [MessageOutcome::Forgotten, MessageOutcome::Stored],
        "another session, older than the forgetting"
    );
    assert_eq!(outcomes(&talk(&mut ana, "two", &undated).await), [MessageOutcome::Forgotten], "without a time");
    assert_eq!(holding(&mut ana, "Maria").await, Vec::<String>::new());
    assert_eq!(outcomes(&talk(&mut ana, "four", &undated).await), [MessageOutcome::Stored], "another session");
    let anew = [said("My boss is Maria Lund.", Some(1))];
    assert_eq!(outcomes(&talk(&mut ana, "three", &anew).await), [MessageOutcome::Stored], "said anew");
    assert_eq!(holding(&mut ana, "Maria").await.len(), 2, "it is learned anew");
    assert_eq!(outcomes(&talk(&mut ana, "five", &old).await)[0], MessageOutcome::Forgotten, "the old one never");
}

#[tokio::test]
async fn a_struck_part_is_left_out_and_the_rest_is_stored() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let both = [said("I live in Oslo and I have two cats. My boss is Maria Lund.", Some(-9))];
    talk(&mut ana, "one", &both).await;
    let note = ana.remember("My boss is Maria Lund.").await;
    ana.forget(&note.id).await;
    assert_eq!(outcomes(&talk(&mut ana, "one", &both).await), [MessageOutcome::Duplicate], "the message is known");
    let again = talk(&mut ana, "two", &both).await;
    assert_eq!((again[0].outcome(), again[0].without_forgotten), (MessageOutcome::Stored, true));
    assert!(ana.memory(&again[0].id).await.content.starts_with("I live in Oslo and I have two cats. [..."));
    assert_eq!(holding(&mut ana, "Maria").await, Vec::<String>::new());
    ana.restore(&note.id).await;
    assert_eq!(outcomes(&talk(&mut ana, "one", &both).await), [MessageOutcome::Duplicate], "byte for byte");
    let back = talk(&mut ana, "three", &both).await;
    assert_eq!((back[0].outcome(), back[0].without_forgotten), (MessageOutcome::Stored, false), "it is not forgotten");
}

#[tokio::test]
async fn an_export_from_before_does_not_bring_it_back_and_a_new_note_does() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    talk(&mut ana, "one", &[said("My boss is Maria Lund. I like rye bread a lot.", Some(-9))]).await;
    let pin = ana.remember("PIN 1234").await;
    let records = ana.exported().await;
    let boss = records.iter().filter_map(|record| record.memory.as_ref());
    let boss = boss.filter(|memory| memory.kind() != pb::Kind::Turn && memory.content.contains("Maria"));
    let boss: Vec<String> = boss.map(|memory| memory.id.clone()).collect();
    ana.forget_now(&[&boss[0], &pin.id]).await;
    assert_eq!(holding(&mut ana, "Maria").await, Vec::<String>::new());
    let drafts =
        ["PIN 1234", "My boss is Maria Lund.", "The bins go out on Monday."].map(|text| Item::Draft(draft(text)));
    let outcomes = ana.import_items("notes", drafts.to_vec()).await;
    assert!(
        matches!(outcomes[..], [Outcome::ForgottenAt(_), Outcome::ForgottenAt(_), Outcome::Receipt(_)]),
        "{outcomes:?}"
    );
    let outcomes = ana.imported("all", records).await;
    let left_out = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::ForgottenAt(_))).count();
    assert_eq!(left_out, 2, "the learned record and the note: {outcomes:?}");
    assert_eq!(holding(&mut ana, "Maria").await, Vec::<String>::new());
    ana.remember("PIN 1234").await;
    assert_eq!(holding(&mut ana, "PIN").await, ["PIN 1234"], "written anew");
}
