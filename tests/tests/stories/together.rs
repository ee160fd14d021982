//! A turn and the record learned from it are corrected, confirmed and counted together, and assistants correct.

use kimberly_proto::v1::{self as pb, Role};
use kimberly_tests::{System, User, eventually};
use serde_json::{Value, json};

use super::default_user::kimberly;

pub(super) async fn says(user: &mut User, content: &str) -> pb::ExtractedTurn {
    user.heard(pb::Message { role: Role::User.into(), content: content.to_owned(), ..pb::Message::default() }).await
}

/// Calls a tool as an assistant of the default user. Returns the result.
pub(super) fn tool(system: &System, name: &str, arguments: &Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let answer = kimberly(system, &["mcp", "--profile", "all"], &format!("{request}\n"));
    let answer: Value = serde_json::from_str(answer.trim()).expect("an answer");
    answer["result"].clone()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn an_assistant_corrects_one_statement_and_hears_what_ended() {
    let system = System::start().await;
    let mut me = system.user("me");
    let heard = says(&mut me, "I live in Berlin.").await;
    let old = &heard.made_ids[0];
    let right = json!({"id": old, "content": "The person lives in Hamburg.", "reason": "misheard"});
    let done = tool(&system, "correct", &right);
    let ended = &done["structuredContent"]["ended"];
    assert_eq!((&ended[0]["id"], ended.as_array().map(Vec::len)), (&json!(old), Some(1)), "{done}");
    assert!(text(&done).contains("\n| ") && text(&done).contains("Berlin"), "{done}");
    let again = tool(&system, "correct", &right);
    assert_eq!(again["structuredContent"], done["structuredContent"], "a repeated call changes nothing more");
    let other = tool(&system, "correct", &json!({"id": old, "content": "The person lives in Bremen."}));
    assert!(other["isError"] == true && text(&other).contains("WRONG_STATE"), "{other}");

    let found = me.recall("Where do I live?").await;
    assert!(found[0].memory.as_ref().expect("one").content.contains("Hamburg"), "{found:?}");
    let turn = found.iter().find(|one| one.memory.as_ref().is_some_and(|memory| memory.id == heard.id));
    assert!(turn.is_none_or(|turn| turn.ended_at.is_some()), "the words that it was learned from ended: {turn:?}");
}

#[tokio::test]
async fn an_assistant_that_updates_what_was_learned_corrects_it_and_updates_what_was_written() {
    let system = System::start().await;
    let mut me = system.user("me");
    let learned = says(&mut me, "My birthday is on 9 April.").await.made_ids.remove(0);
    let change = json!({"id": learned, "content": "The person's birthday is on 19 April.", "tags": ["dates"]});
    let done = tool(&system, "update_memory", &change);
    let new = done["structuredContent"]["id"].as_str().expect("an id").to_owned();
    assert_eq!(done["structuredContent"]["ended"][0]["id"], json!(learned), "{done}");
    assert!(new != learned && text(&done).starts_with("Corrected"), "{done}");
    let (before, after) = (me.memory(&learned).await, me.memory(&new).await);
    assert!(before.content.contains("9 April") && before.valid_to.is_some(), "the old words stay: {before:?}");
    assert_eq!(after.metadata.clone().expect("metadata").tags, ["dates"], "{after:?}");
    assert!(me.recalled("When is my birthday?").await[0].contains("19 April"));

    let tagged = tool(&system, "update_memory", &json!({"id": new, "tags": ["birthday"]}));
    assert_eq!(tagged["structuredContent"]["id"], json!(new), "other fields are written over: {tagged}");
    let written = me.remember("The spare key hangs behind the blue door").await.id;
    let done = tool(&system, "update_memory", &json!({"id": written, "content": "The spare key is with Nadia"}));
    assert_eq!((&done["structuredContent"]["id"], &done["structuredContent"]["ended"]), (&json!(written), &json!([])));
    assert_eq!(me.memory(&written).await.content, "The spare key is with Nadia");
}

#[tokio::test]
async fn confirming_a_turn_or_its_record_confirms_both() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let heard = says(&mut ana, "I have a cat called Momo.").await;
    let both = [heard.id.clone(), heard.made_ids[0].clone()];
    for (id, times) in both.iter().zip(1..) {
        let request = pb::VerifyMemoryRequest { user_id: ana.id(), id: id.clone(), ..Default::default() };
        ana.clients.records.verify_memory(request).await.expect("it is confirmed");
        for copy in &both {
            assert_eq!(ana.memory(copy).await.verification_count, times, "{copy}");
        }
    }
    let other = says(&mut ana, "I moved to Madrid.").await.made_ids.remove(0);
    assert_eq!(ana.memory(&other).await.verification_count, 0);
}

#[tokio::test]
async fn a_recall_counts_for_the_turn_and_for_the_record_of_the_span_that_it_found() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let heard = says(&mut ana, "I live in Oslo and I have two cats.").await;
    assert_eq!(heard.made_ids.len(), 2, "{heard:?}");
    // Lists do not count as use.
    let listed = ana.list(pb::MemoryFilter::default()).await;
    let made = listed.iter().filter(|one| heard.made_ids.contains(&one.id));
    let (home, cats): (Vec<_>, Vec<_>) = made.partition(|one| one.content.contains("Oslo"));
    let counts = async || -> [i64; 3] {
        let listed = ana.clone().list(pb::MemoryFilter::default()).await;
        let count = |id: &str| listed.iter().find(|one| one.id == id).map_or(0, |one| one.access_count);
        [&heard.id, &home[0].id, &cats[0].id].map(|id| count(id))
    };
    recall_only(&mut ana.clone(), "Where do I live?", pb::Kind::Turn).await;
    let counted = eventually("the turn is counted", || async { Some(counts().await).filter(|all| all[0] > 0) }).await;
    assert_eq!(counted, [1, 1, 0], "with the record of what was asked for");
    recall_only(&mut ana.clone(), "How many cats do I have?", cats[0].kind()).await;
    let counted = eventually("the record is counted", || async { Some(counts().await).filter(|all| all[2] > 0) }).await;
    assert_eq!(counted, [2, 1, 1], "with its turn");
}

/// Recalls records of one kind only.
async fn recall_only(user: &mut User, query: &str, kind: pb::Kind) {
    let request = pb::QueryMemoriesRequest {
        user_id: user.id(),
        query: query.to_owned(),
        filter: Some(pb::MemoryFilter { kinds: vec![kind.into()], ..Default::default() }),
        ..Default::default()
    };
    let found = user.clients.memories.query_memories(request).await.expect("a recall").into_inner().results;
    assert!(!found.is_empty(), "{query}");
}
