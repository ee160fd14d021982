//! Forgetting one copy of a statement forgets all: messages, learned records, notes and echoes; restoring brings all back.

use kimberly_proto::v1::{self as pb, Role};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User};

fn said(role: Role, content: &str) -> pb::Message {
    pb::Message { role: role.into(), content: content.to_owned(), ..Default::default() }
}

async fn talk(user: &mut User, session: &str, said: &[pb::Message]) -> Vec<String> {
    let request = pb::ObserveRequest {
        user_id: user.id(),
        session_id: session.to_owned(),
        messages: said.to_vec(),
        extraction: pb::ExtractionMode::Wait.into(),
        ..Default::default()
    };
    let answer = user.clients.conversations.observe(request).await.expect("messages are taken in").into_inner();
    answer.messages.into_iter().map(|message| message.id).collect()
}

async fn contents(user: &mut User) -> Vec<String> {
    let filter = pb::MemoryFilter { any_time: true, ..Default::default() };
    let mut all: Vec<String> = user.list(filter).await.into_iter().map(|memory| memory.content).collect();
    all.sort();
    all
}

async fn delete(user: &mut User, id: &str, dry_run: bool) -> pb::DeleteMemoryResponse {
    let request = pb::DeleteMemoryRequest { user_id: user.id(), id: id.to_owned(), dry_run, ..Default::default() };
    user.clients.memories.delete_memory(request).await.expect("a memory is deleted").into_inner()
}

/// Ids of memories, other than turns, with a word.
async fn facts(user: &mut User, word: &str) -> Vec<String> {
    let all = user.list(pb::MemoryFilter { any_time: true, ..Default::default() }).await;
    let learned = all.into_iter().filter(|memory| memory.kind() != pb::Kind::Turn && memory.content.contains(word));
    learned.map(|memory| memory.id).collect()
}

fn links(all: &[pb::MemoryLink]) -> Vec<(String, String, String)> {
    let mut all: Vec<_> =
        all.iter().map(|link| (link.from_id.clone(), link.to_id.clone(), link.evidence.clone())).collect();
    all.sort();
    all
}

async fn links_of(user: &mut User, id: &str) -> Vec<(String, String, String)> {
    let request = pb::ListLinksRequest { user_id: user.id(), id: id.to_owned(), ..Default::default() };
    links(&user.clients.links.list_links(request).await.expect("links").into_inner().links)
}

#[tokio::test]
async fn a_statement_goes_from_everywhere_and_comes_back_byte_for_byte() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let first = talk(
        &mut ana,
        "one",
        &[
            said(Role::User, "I live in Oslo and I have two cats. My boss is Maria Lund."),
            said(Role::Assistant, "Noted: your boss is Maria Lund. What are the cats called?"),
            said(Role::User, "They are called Minka and Tom."),
        ],
    )
    .await;
    talk(&mut ana, "two", &[said(Role::User, "Hello! My boss is Maria Lund. I like rye bread a lot.")]).await;
    let note = ana.remember("My boss is Maria Lund.").await;
    let other = ana.remember("Maria Lund called about the budget").await;
    let before = contents(&mut ana).await;
    let linked = links_of(&mut ana, &first[0]).await;
    let learned = facts(&mut ana, "boss").await;
    assert!(learned.len() >= 2, "{before:?}");

    let plan = delete(&mut ana, &note.id, true).await;
    assert_eq!(contents(&mut ana).await, before, "a dry run changes nothing");
    let gone = delete(&mut ana, &note.id, false).await;
    assert_eq!(
        (&gone.also_forgotten, &gone.struck, &gone.still_mentions),
        (&plan.also_forgotten, &plan.struck, &plan.still_mentions)
    );
    assert_eq!(gone.still_mentions, std::slice::from_ref(&other.id));
    assert_eq!(gone.struck.len(), 3, "two messages and the echo: {gone:?} {before:?}");
    let after = contents(&mut ana).await;
    let with_boss: Vec<&String> = after.iter().filter(|text| text.contains("Maria")).collect();
    assert_eq!(with_boss, ["Maria Lund called about the budget"], "{after:?}");
    assert!(after.iter().any(|text| text.starts_with("I live in Oslo and I have two cats. [...")), "{after:?}");
    let quotes =
        links_of(&mut ana, &first[0]).await.into_iter().filter(|(from, ..)| !gone.also_forgotten.contains(from));
    assert!(quotes.into_iter().all(|(_, _, quote)| !quote.contains("Maria")));

    // Any of the copies brings back all.
    ana.restore(&gone.struck[0]).await;
    assert_eq!(contents(&mut ana).await, before);
    assert_eq!(links_of(&mut ana, &first[0]).await, linked);
    for learned in &learned {
        let gone = delete(&mut ana, learned, false).await;
        ana.restore(&gone.also_forgotten[0]).await;
        assert_eq!(contents(&mut ana).await, before);
    }
}

#[tokio::test]
async fn one_claim_of_a_sentence_goes_and_the_other_stays() {
    let system = System::start().await;
    for (text, gone, stays) in [
        ("I live in Oslo and I have two cats.", "Oslo", "two cats"),
        ("My cat is called Zelda, and I like rye bread.", "Zelda", "rye bread"),
        ("Ich wohne in Graz und ich liebe Roggenbrot.", "Graz", "Roggenbrot"),
        ("My daughter is called Emma. I am allergic to peanuts.", "Emma", "peanuts"),
    ] {
        let mut user = system.user(&format!("user-{gone}"));
        talk(&mut user, "s", &[said(Role::User, text), said(Role::Assistant, "Understood.")]).await;
        let learned = facts(&mut user, gone).await;
        assert!(!learned.is_empty(), "{text}: nothing was learned of {gone}");
        user.forget(&learned[0]).await;
        let left = contents(&mut user).await;
        let has = |word: &str| left.iter().any(|content| content.contains(word));
        assert!(!has(gone) && has(stays), "{text}: {left:?}");
    }
}

#[tokio::test]
async fn a_whole_message_takes_what_was_learned_and_its_echo_along() {
    let system = System::start().await;
    for (text, echo, word) in [
        ("I work at Brenner Optics.", "Great, you work at Brenner Optics!", "Brenner"),
        ("Ich wohne in Graz.", "Schön, du wohnst also in Graz.", "Graz"),
        ("My birthday is on 9 April.", "I noted that your birthday is 9 April.", "April"),
        ("My favourite colour is teal.", "Teal is a nice favourite colour.", "eal"),
    ] {
        let mut user = system.user(&format!("user-{word}"));
        let turns = talk(&mut user, "s", &[said(Role::User, text), said(Role::Assistant, echo)]).await;
        let gone = delete(&mut user, &turns[0], false).await;
        assert!(gone.also_forgotten.contains(&turns[1]), "{text}: {gone:?}");
        let left = contents(&mut user).await;
        assert!(left.iter().all(|content| !content.contains(word)), "{text}: {left:?}");
        assert_eq!(user.recalled(text).await, Vec::<String>::new());
        user.restore(&turns[1]).await;
        assert!(contents(&mut user).await.iter().any(|content| content == text));
    }
}

#[tokio::test]
async fn a_short_answer_a_question_and_words_of_others_are_shared_by_nothing() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let yes = talk(&mut ana, "one", &[said(Role::User, "Yes, I do. Can you help me with that?")]).await;
    talk(&mut ana, "two", &[said(Role::User, "Yes, I do. Can you help me with that?")]).await;
    let gone = delete(&mut ana, &yes[0], false).await;
    assert_eq!((gone.also_forgotten.len(), gone.struck.len()), (0, 0), "{gone:?}");
    let told = ana.remember("The spare key is with Nadia.").await;
    ana.remember_draft(pb::MemoryDraft { speaker: "Ben".to_owned(), ..draft("The spare key is with Nadia.") }).await;
    ana.remember_draft(pb::MemoryDraft { namespace: "work".to_owned(), ..draft("The spare key is with Nadia.") }).await;
    let gone = delete(&mut ana, &told.id, false).await;
    assert_eq!((gone.also_forgotten.len(), gone.still_mentions.len()), (0, 2), "{gone:?}");
}

#[tokio::test]
async fn what_is_forgotten_at_once_keeps_no_original_and_what_was_deleted_before_goes_too() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    talk(&mut ana, "one", &[said(Role::User, "My boss is Maria Lund. I like rye bread a lot.")]).await;
    let note = ana.remember("My boss is Maria Lund.").await;
    let gone = delete(&mut ana, &note.id, false).await;
    let erased = ana.forget_now(&[&note.id]).await;
    assert_eq!(erased.also_forgotten, gone.also_forgotten);
    assert!(ana.everything().await.iter().all(|memory| !memory.content.contains("Maria")));
    let request = pb::RestoreMemoryRequest { user_id: ana.id(), id: gone.struck[0].clone(), ..Default::default() };
    ana.clients.memories.restore_memory(request).await.expect_err("nothing is left to restore");
}

#[tokio::test]
async fn sensitive_statements_go_and_come_back_sealed() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    ana.consent().await;
    let request = pb::ObserveRequest {
        user_id: ana.id(),
        session_id: "s".to_owned(),
        messages: vec![said(Role::User, "I am allergic to peanuts. My boss is Maria Lund.")],
        extraction: pb::ExtractionMode::Wait.into(),
        sensitive: true,
        ..Default::default()
    };
    ana.clients.conversations.observe(request).await.expect("messages are taken in");
    let before = contents(&mut ana).await;
    let learned = facts(&mut ana, "peanuts").await;
    let gone = delete(&mut ana, &learned[0], false).await;
    let after = contents(&mut ana).await;
    assert!(after.iter().all(|text| !text.contains("peanuts")) && gone.struck.len() == 1, "{after:?}");
    assert_eq!(ana.recalled("peanuts").await, Vec::<String>::new());
    ana.restore(&learned[0]).await;
    assert_eq!(contents(&mut ana).await, before);
}

#[tokio::test]
async fn what_replaced_a_record_comes_back_although_that_was_corrected_meanwhile() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let first = ana.heard(said(Role::User, "I live in Oslo.")).await;
    let second = ana.heard(said(Role::User, "I live in Graz now.")).await;
    assert_eq!(second.superseded_ids, first.made_ids, "{second:?}");
    ana.forget(&second.made_ids[0]).await;
    let correction = pb::CorrectMemoryRequest {
        user_id: ana.id(),
        id: first.made_ids[0].clone(),
        content: "The user lives in Bergen.".to_owned(),
        ..Default::default()
    };
    ana.clients.records.correct_memory(correction).await.expect("a correction");
    ana.restore(&second.made_ids[0]).await;
    assert_eq!(ana.memory(&second.made_ids[0]).await.state(), pb::MemoryState::Active);
}

#[tokio::test]
async fn an_answer_of_one_word_strikes_nothing_that_the_assistant_says() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let said = [
        said(Role::User, "2"),
        said(Role::Assistant, "Here are 2 recipes. Berlin has three airports."),
        said(Role::User, "In Berlin."),
        said(Role::Assistant, "Berlin is lovely in May."),
    ];
    let ids = talk(&mut ana, "one", &said).await;
    for id in [&ids[0], &ids[2]] {
        let gone = delete(&mut ana, id, false).await;
        assert!(gone.struck.is_empty() && gone.also_forgotten.is_empty(), "{gone:?}");
    }
}
