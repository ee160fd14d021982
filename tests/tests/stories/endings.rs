//! Endings: a turn and the record learned from it end, come back and are corrected together.

use kimberly_proto::v1::{self as pb, ExtractionMode, Role};
use kimberly_tests::{System, User};

/// Times of 2026, in seconds since 1970.
const MARCH: i64 = 1_772_355_600;
const APRIL: i64 = 1_775_034_000;
const JUNE: i64 = 1_780_304_400;
const JULY: i64 = 1_782_896_400;
const AUGUST: i64 = 1_785_574_800;

#[expect(clippy::unnecessary_wraps, reason = "what is compared and sent is optional")]
fn at(seconds: i64) -> Option<prost_types::Timestamp> {
    Some(prost_types::Timestamp { seconds, nanos: 0 })
}

async fn says(user: &mut User, content: &str, seconds: i64) -> pb::ExtractedTurn {
    user.heard(pb::Message {
        role: Role::User.into(),
        content: content.to_owned(),
        time: at(seconds),
        ..pb::Message::default()
    })
    .await
}

async fn valid(user: &mut User, query: &str, seconds: i64) -> Vec<String> {
    let request = pb::QueryMemoriesRequest {
        user_id: user.id(),
        query: query.to_owned(),
        filter: Some(pb::MemoryFilter { valid_at: at(seconds), ..Default::default() }),
        ..Default::default()
    };
    let found = user.clients.memories.query_memories(request).await.expect("recall").into_inner().results;
    found.into_iter().filter_map(|one| Some(one.memory?.content)).collect()
}

async fn context(user: &mut User, query: &str) -> String {
    let request = pb::GetContextRequest {
        user_id: user.id(),
        session_id: "another".to_owned(),
        query: query.to_owned(),
        ..Default::default()
    };
    user.clients.conversations.get_context(request).await.expect("a context").into_inner().text
}

/// The positions of two words among results; `None` where a word is in none.
fn places(found: &[String], words: [&str; 2]) -> [Option<usize>; 2] {
    words.map(|word| found.iter().position(|content| content.contains(word)))
}

#[tokio::test]
async fn what_holds_comes_first_and_what_ended_says_when_and_for_what() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let old = says(&mut ana, "I live in Berlin.", MARCH).await;
    let new = says(&mut ana, "I moved to Madrid.", JUNE).await;
    assert_eq!(new.superseded_ids, old.made_ids, "{new:?}");
    let ended = ana.memory(&old.made_ids[0]).await;
    let begun = ana.memory(&new.made_ids[0]).await;
    assert_eq!((ended.valid_to, begun.valid_from), (at(JUNE), at(JUNE)), "the times of the messages");

    let found = ana.recall("Where do I live?").await;
    assert!(found[0].memory.as_ref().expect("one").content.contains("Madrid"), "{found:?}");
    let turn = found.iter().find(|one| one.memory.as_ref().is_some_and(|memory| memory.id == old.id));
    let turn = turn.expect("the turn is found, too");
    assert_eq!((turn.ended_at, &turn.superseded_by), (at(JUNE), &new.made_ids[0]), "{turn:?}");
    let context_now = context(&mut ana, "Where do I live?").await;
    assert!(context_now.contains("Madrid") && !context_now.contains("Berlin"), "{context_now}");

    let [berlin, madrid] = places(&ana.recalled("Where did I live before?").await, ["Berlin", "Madrid"]);
    assert!(berlin.is_some() && madrid.is_none_or(|madrid| berlin < Some(madrid)), "the past was asked for");
    assert_eq!(
        places(&valid(&mut ana, "Where do I live?", APRIL).await, ["Berlin", "Madrid"]).map(|at| at.is_some()),
        [true, false]
    );
    assert!(places(&valid(&mut ana, "Where do I live?", JULY).await, ["Berlin", "Madrid"])[0].is_none());
}

#[tokio::test]
async fn forgetting_the_successor_lets_its_predecessor_hold_and_restoring_ends_it_again() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let old = says(&mut ana, "I live in Berlin.", MARCH).await.made_ids.remove(0);
    let new = says(&mut ana, "I moved to Madrid.", JUNE).await.made_ids.remove(0);
    ana.forget(&new).await;
    assert_eq!(ana.memory(&old).await.valid_to, None, "it holds again");
    ana.restore(&new).await;
    assert_eq!(ana.memory(&old).await.valid_to, at(JUNE));
    let wrong = pb::InvalidateMemoryRequest { user_id: ana.id(), id: new.clone(), ..Default::default() };
    ana.clients.records.invalidate_memory(wrong).await.expect("it was wrong");
    assert_eq!(ana.memory(&old).await.valid_to, None);
    let last = says(&mut ana, "I moved to Lisbon.", JULY).await;
    assert_eq!(last.superseded_ids, std::slice::from_ref(&old), "{last:?}");
    ana.forget_now(&[&last.made_ids[0]]).await;
    assert_eq!(ana.memory(&old).await.valid_to, None, "erased, it ends nothing either");
    let middle = says(&mut ana, "I moved to Porto.", JULY).await.made_ids.remove(0);
    says(&mut ana, "I moved to Turin.", AUGUST).await;
    ana.forget(&middle).await;
    assert_eq!(ana.memory(&old).await.valid_to, at(AUGUST), "the last one replaced both");
}

#[tokio::test]
async fn only_newer_words_of_the_person_end_anything() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let new = says(&mut ana, "I live in Madrid.", JUNE).await.made_ids.remove(0);
    let older = says(&mut ana, "I live in Berlin.", MARCH).await;
    assert!(older.superseded_ids.is_empty(), "{older:?}");
    assert_eq!(ana.memory(&new).await.valid_to, None, "an older message came later");
    assert_eq!(ana.memory(&older.made_ids[0]).await.valid_to, at(JUNE), "it held until the newer one");
    let echo =
        pb::Message { role: Role::Assistant.into(), content: "You live in Oslo.".to_owned(), ..Default::default() };
    ana.observe(vec![echo], ExtractionMode::Wait).await;
    assert_eq!(ana.memory(&new).await.valid_to, None);
    assert!(ana.recalled("Where do I live?").await[0].contains("Madrid"));
}

#[tokio::test]
async fn one_claim_of_a_sentence_ends_without_the_other_and_a_corrected_turn_ends_its_record() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let both = says(&mut ana, "I live in Oslo and I have two cats.", MARCH).await;
    assert_eq!(both.made_ids.len(), 2, "{both:?}");
    says(&mut ana, "I moved to Bergen.", JUNE).await;
    assert!(ana.recalled("Do I have cats?").await[0].contains("cats"));
    assert!(ana.recalled("Where do I live?").await[0].contains("Bergen"));

    let turn = says(&mut ana, "My birthday is on 9 April.", JUNE).await;
    let right = pb::CorrectMemoryRequest {
        user_id: ana.id(),
        id: turn.id.clone(),
        content: "My birthday is on 19 April.".to_owned(),
        ..Default::default()
    };
    ana.clients.records.correct_memory(right).await.expect("it is corrected");
    let found = ana.recalled("When is my birthday?").await;
    assert!(found[0].contains("19 April"), "{found:?}");
    assert!(ana.memory(&turn.made_ids[0]).await.valid_to.is_some(), "what was learned from it ended, too");
}

#[tokio::test]
async fn words_that_something_is_over_end_what_was_learned_of_it_and_nothing_else() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let job = says(&mut ana, "I work at SAP.", MARCH).await.made_ids.remove(0);
    let lessons = says(&mut ana, "I'm taking guitar lessons with Nils.", MARCH).await.made_ids.remove(0);
    let house = says(&mut ana, "I own a house in Porto.", MARCH).await.made_ids.remove(0);
    let note = ana.remember("I work at SAP on Mondays.").await.id;
    let ends = |turn: pb::ExtractedTurn| turn.superseded_ids;
    assert_eq!(ends(says(&mut ana, "I no longer work on Fridays.", APRIL).await), [""; 0]);
    assert_eq!(ends(says(&mut ana, "I stopped the guitar lessons in May.", JUNE).await), [lessons]);
    assert_eq!(ends(says(&mut ana, "I no longer work at SAP.", JUNE).await), [job]);
    assert!(ana.memory(&note).await.valid_to.is_none(), "what a person wrote down stays");
    assert!(ana.memory(&house).await.valid_to.is_none());
    let mail = "Here is the mail I got:\n\nHi,\nI sold the house in Porto.\nBest\nGregor";
    assert_eq!(ends(says(&mut ana, mail, AUGUST).await), [""; 0], "words of others");
    assert_eq!(ends(says(&mut ana, "I sold the house.", AUGUST).await), [house]);
}
