//! A statement is written once: a write that states what is known confirms its record.

use kimberly_proto::v1 as pb;
use kimberly_tests::drafts::{draft, in_tier, tagged};
use kimberly_tests::{System, User};
use serde_json::{Value, json};

use super::default_user::{json_of, kimberly};

/// Stores drafts as callers do who do not insist on new records.
async fn tell(user: &mut User, memories: Vec<pb::MemoryDraft>) -> Vec<pb::MemoryReceipt> {
    let request = pb::BatchCreateMemoriesRequest { user_id: user.id(), memories, ..Default::default() };
    user.clients.memories.batch_create_memories(request).await.expect("they are stored").into_inner().receipts
}

async fn tell_one(user: &mut User, memory: pb::MemoryDraft) -> pb::MemoryReceipt {
    tell(user, vec![memory]).await.remove(0)
}

#[tokio::test]
async fn a_known_statement_is_confirmed_and_whatever_is_stronger_holds() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let first = tell_one(&mut ana, tagged("The spare key is with Nadia.", &["key"])).await;
    assert!(!first.existing);
    let again = pb::MemoryDraft { protected: true, importance: 7, ..tagged("the spare key is with Nadia!", &["home"]) };
    let again = tell_one(&mut ana, pb::MemoryDraft { tier: pb::Tier::Permanent.into(), ..again }).await;
    assert!(again.existing && again.id == first.id, "{again:?}");
    let known = ana.memory(&first.id).await;
    assert_eq!((known.tier(), known.protected, known.importance), (pb::Tier::Permanent, true, 7));
    assert_eq!(known.metadata.clone().expect("metadata").tags, ["key", "home"]);
    assert!(known.confidence() > 0.95 && known.etag == "2", "{}", known.confidence());
    let metrics = ana.metrics().await;
    tell_one(&mut ana, in_tier(pb::Tier::LongTerm, "The spare key is with Nadia")).await;
    assert_eq!(ana.metrics().await.tiers, metrics.tiers, "a confirmation adds nothing");
    assert_eq!(ana.everything().await.len(), 1);
}

#[tokio::test]
async fn equal_drafts_of_a_batch_are_one_record_and_a_repeated_request_has_its_answer() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let memories = vec![draft("I like rye bread."), draft("I like tea."), draft("I like rye bread!")];
    let request = pb::BatchCreateMemoriesRequest {
        user_id: ana.id(),
        memories,
        request_id: "r".to_owned(),
        ..Default::default()
    };
    let mut client = ana.clients.memories.clone();
    let first = client.batch_create_memories(request.clone()).await.expect("stored").into_inner();
    let existing: Vec<bool> = first.receipts.iter().map(|receipt| receipt.existing).collect();
    assert_eq!(existing, [false, false, true]);
    assert_eq!(first.receipts[0].id, first.receipts[2].id);
    assert_eq!(client.batch_create_memories(request).await.expect("replayed").into_inner(), first);
    assert_eq!(ana.everything().await.len(), 2);
}

#[tokio::test]
async fn near_misses_journals_and_what_callers_insist_on_are_records_of_their_own() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
    let texts = [
        "It is +5 outside",
        "It is -5 outside",
        "I like C",
        "I like C++",
        "Tengo un año",
        "Tengo un ano",
        "Tee 👍",
        "Tee 👎",
    ];
    let mut different: Vec<_> = texts.into_iter().map(draft).collect();
    different.push(pb::MemoryDraft { speaker: "Ben".to_owned(), ..draft("I like C") });
    different.push(pb::MemoryDraft { namespace: "work".to_owned(), ..draft("I like C") });
    different.push(pb::MemoryDraft { occurred_at: at(1_700_000_000), ..draft("Slept eight hours") });
    different.push(pb::MemoryDraft { occurred_at: at(1_700_086_400), ..draft("Slept eight hours") });
    let count = different.len();
    assert!(tell(&mut ana, different.clone()).await.iter().all(|receipt| !receipt.existing));
    assert!(tell(&mut ana, different).await.iter().all(|receipt| receipt.existing));
    assert_eq!(ana.everything().await.len(), count);
    let episode = pb::MemoryDraft { kind: pb::Kind::Raw.into(), ..draft("Slept eight hours") };
    for _ in 0..2 {
        assert!(!tell_one(&mut ana, episode.clone()).await.existing);
        assert!(!ana.remember("I like C").await.existing, "it is insisted on");
    }
    assert_eq!(ana.everything().await.len(), count + 4);
}

#[tokio::test]
async fn what_no_longer_holds_or_says_something_else_is_not_known() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let first = tell_one(&mut ana, draft("My locker is number 12")).await;
    ana.forget(&first.id).await;
    let second = tell_one(&mut ana, draft("My locker is number 12")).await;
    assert!(!second.existing && second.id != first.id);
    ana.write_over(&second.id, "My locker is number 14").await;
    assert!(!tell_one(&mut ana, draft("My locker is number 12")).await.existing);
    let third = tell_one(&mut ana, draft("My locker is number 14.")).await;
    assert!(third.existing && third.id == second.id);
}

#[tokio::test]
async fn the_command_and_assistants_say_that_it_was_known() {
    let system = System::start().await;
    let said = kimberly(&system, &["remember", "I drink my tea without sugar"], "");
    assert!(!said.contains("already known"), "{said}");
    let said = kimberly(&system, &["remember", "I drink my tea without sugar."], "");
    assert!(said.contains("already known, confirmed"), "{said}");
    let arguments = json!({"content": "I drink my tea without sugar!"});
    let call = |arguments: Value| {
        let call = json!({"name": "remember", "arguments": arguments});
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call});
        kimberly(&system, &["mcp"], &format!("{request}\n"))
    };
    let answer = call(arguments);
    assert!(answer.contains("Already known, confirmed") && answer.contains("\"existing\":true"), "{answer}");
    let answer = call(json!({"content": "I drink my tea without sugar!", "new": true}));
    assert!(answer.contains("\"existing\":false"), "{answer}");
    kimberly(&system, &["remember", "--new", "I drink my tea without sugar"], "");
    assert_eq!(json_of(&system, &["list"])["memories"].as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn a_later_export_adds_only_what_is_new_also_to_known_entities() {
    let system = System::start().await;
    let import = |name: &str, lines: &[Value]| {
        let path = system.folder().join(name);
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        let text = format!("{}\n", lines.join("\n"));
        std::fs::write(&path, text).expect("a file");
        json_of(&system, &["import", path.to_str().expect("a path")])
    };
    let chat = [
        json!({"role": "user", "content": "My dentist is Dr. Lind in Malmö."}),
        json!({"role": "assistant", "content": "Noted."}),
    ];
    let later = json!({"role": "user", "content": "She moved to Lund."});
    assert_eq!(import("chat.jsonl", &chat)["users"][0]["stored"], 2);
    let again = import("chat-2.jsonl", &[chat[0].clone(), chat[1].clone(), later]);
    assert_eq!((&again["users"][0]["stored"], &again["users"][0]["known"]), (&json!(1), &json!(2)), "{again}");

    let entity = |observations: &[&str]| json!({"type": "entity", "name": "Ana", "entityType": "person", "observations": observations});
    let knows = json!({"type": "relation", "from": "Ana", "to": "Ben", "relationType": "knows"});
    import("memory.jsonl", &[entity(&["Likes tea"])]);
    let again = import("memory-2.jsonl", &[entity(&["Likes tea", "Lives in Oslo"]), knows]);
    assert_eq!(again["users"][0]["known"], 1, "{again}");
    let listed = json_of(&system, &["list"]);
    let cards: Vec<_> =
        listed["memories"].as_array().expect("a list").iter().filter(|one| one["name"] == "graph/Ana").collect();
    assert_eq!(cards.len(), 1);
    assert_eq!(cards[0]["content"], "Ana (person)\n- Likes tea\n- Lives in Oslo\n→ Ana knows [[Ben]]");
}
