//! Extraction from conversations: records with their source sentence, repetitions, contradictions, and omissions.

use std::collections::HashMap;

use kimberly_proto::v1::{self as pb, ExtractionMode, MessageOutcome, Role, UnextractedReason};
use kimberly_tests::{System, User, eventually};

const LEARNED: [pb::Kind; 4] = [pb::Kind::Fact, pb::Kind::Preference, pb::Kind::Decision, pb::Kind::Knowledge];

fn message(role: Role, content: &str) -> pb::Message {
    pb::Message { role: role.into(), content: content.to_owned(), ..pb::Message::default() }
}

async fn say(user: &mut User, role: Role, content: &str, mode: ExtractionMode) -> pb::ObserveResponse {
    user.observe(vec![message(role, content)], mode).await
}

async fn heard(user: &mut User, content: &str) -> pb::ExtractedTurn {
    user.heard(message(Role::User, content)).await
}

async fn learned(user: &mut User) -> Vec<pb::Memory> {
    let kinds = LEARNED.iter().map(|kind| i32::from(*kind)).collect();
    user.list(pb::MemoryFilter { kinds, ..Default::default() }).await
}

async fn sources(user: &mut User, id: &str) -> Vec<pb::MemoryLink> {
    let request = pb::ListLinksRequest {
        user_id: user.id(),
        id: id.to_owned(),
        relations: vec![pb::Relation::DerivedFrom.into()],
        direction: pb::LinkDirection::Out.into(),
        ..Default::default()
    };
    user.clients.links.list_links(request).await.expect("links").into_inner().links
}

#[tokio::test]
async fn a_fact_is_learned_with_the_bytes_that_say_it_and_nothing_of_questions() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let text = "Hi there! I work as a nurse in Porto. Could you tell me about the weather?";
    let turn = heard(&mut ana, text).await;
    let [id] = &turn.made_ids[..] else { panic!("{turn:?}") };
    let fact = ana.memory(id).await;
    assert_eq!((fact.kind(), fact.tier()), (pb::Kind::Fact, pb::Tier::LongTerm), "{fact:?}");
    assert!(fact.content.contains("nurse in Porto"), "{}", fact.content);
    let links = sources(&mut ana, id).await;
    let [link] = &links[..] else { panic!("{links:?}") };
    assert_eq!((link.to_id.as_str(), link.source_type()), (turn.id.as_str(), pb::SourceType::Extraction));
    let span = usize::try_from(link.start_byte).unwrap()..usize::try_from(link.end_byte).unwrap();
    assert_eq!(&text[span], "I work as a nurse in Porto.");
    let why: HashMap<_, _> =
        turn.left_out.iter().map(|left| (left.reason(), (left.start_byte, left.end_byte))).collect();
    assert!(why.contains_key(&UnextractedReason::Question), "{why:?}");
    assert_eq!(ana.recalled("Where does she work as a nurse?").await.len(), 2, "the turn and the fact");
}

#[tokio::test]
async fn a_dry_run_says_what_would_be_learned_and_stores_nothing() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let text = "Hi there! I work as a nurse in Porto.";
    let mut request = pb::ObserveRequest {
        user_id: ana.id(),
        session_id: "s".to_owned(),
        messages: vec![message(Role::User, text), message(Role::Tool, "exit 0")],
        dry_run: true,
        ..Default::default()
    };
    let shown = ana.clients.conversations.observe(request.clone()).await.expect("it is read").into_inner();
    let [heard, tool] = &shown.extracted[..] else { panic!("{shown:?}") };
    let [statement] = &heard.statements[..] else { panic!("{heard:?}") };
    let span = usize::try_from(statement.start_byte).unwrap()..usize::try_from(statement.end_byte).unwrap();
    assert_eq!((statement.kind(), &text[span]), (pb::Kind::Fact, "I work as a nurse in Porto."));
    assert_eq!((heard.id.as_str(), heard.left_out[0].reason()), ("", UnextractedReason::Greeting));
    assert_eq!((tool.statements.len(), tool.left_out[0].reason()), (0, UnextractedReason::ToolNoise));
    assert!(ana.list(pb::MemoryFilter::default()).await.is_empty(), "nothing is stored");
    request.dry_run = false;
    request.extraction = ExtractionMode::Wait.into();
    let learned = ana.clients.conversations.observe(request).await.expect("it is taken in").into_inner();
    let [id] = &learned.extracted[0].made_ids[..] else { panic!("{learned:?}") };
    let made = ana.memory(id).await;
    assert_eq!((&made.content, &made.subject), (&statement.content, &statement.subject), "as it was shown");
}

#[tokio::test]
async fn a_dry_run_answers_with_nothing_where_extraction_is_off() {
    let system = System::start_with(&[("KIMBERLY_EXTRACTION__ENABLED", "false")]).await;
    let mut ana = system.user("ana");
    let request = pb::ObserveRequest {
        user_id: ana.id(),
        session_id: "s".to_owned(),
        messages: vec![message(Role::User, "I live in Porto.")],
        dry_run: true,
        ..Default::default()
    };
    let shown = ana.clients.conversations.observe(request).await.expect("it is answered").into_inner();
    assert!(shown.extracted.is_empty(), "{shown:?}");
}

#[tokio::test]
async fn a_repeated_statement_is_more_certain_and_a_changed_one_supersedes_it() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let first = heard(&mut ana, "I live in Porto.").await.made_ids.remove(0);
    let before = ana.memory(&first).await.confidence();
    let again = heard(&mut ana, "Oh, and i live in Porto!").await;
    assert_eq!((again.made_ids.len(), &again.merged_ids[..]), (0, std::slice::from_ref(&first)), "{again:?}");
    assert!(ana.memory(&first).await.confidence() > before);
    assert_eq!(sources(&mut ana, &first).await.len(), 2, "both turns say it");
    say(&mut ana, Role::Assistant, "You live in Porto.", ExtractionMode::Wait).await;
    assert_eq!(learned(&mut ana).await.len(), 1, "the assistant's repetition adds nothing");
    let moved = heard(&mut ana, "I moved to Lisbon last week.").await;
    assert_eq!(moved.superseded_ids, std::slice::from_ref(&first), "{moved:?}");
    assert!(ana.memory(&first).await.valid_to.is_some());
}

#[tokio::test]
async fn turns_are_read_soon_and_once_also_when_processes_are_killed() {
    let mut system = System::start().await;
    for worker in system.workers() {
        worker.kill9();
    }
    let mut ana = system.user("ana");
    for content in ["I have two cats.", "My sister is called Marta.", "I play the cello."] {
        let answer = say(&mut ana, Role::User, content, ExtractionMode::Unspecified).await;
        assert!(answer.extracted.is_empty(), "{answer:?}");
    }
    assert!(learned(&mut ana).await.is_empty(), "extraction is off");
    system.api.kill9();
    system.api.start_again();
    for worker in system.workers() {
        worker.start_again();
    }
    system.wait_until_api_serves().await;
    let mut ana = system.user("ana");
    let said = eventually("three facts", || {
        let mut ana = ana.clone();
        async move { Some(learned(&mut ana).await).filter(|facts| facts.len() == 3) }
    });
    let ids: Vec<String> = said.await.into_iter().map(|fact| fact.id).collect();
    // An ended session is extracted at once, and only once.
    let end = pb::EndSessionRequest { user_id: ana.id(), session_id: "s".to_owned(), ..Default::default() };
    ana.clients.memories.end_session(end).await.expect("the session ends");
    let now: Vec<String> = learned(&mut ana).await.into_iter().map(|fact| fact.id).collect();
    assert_eq!(now, ids);
    for id in &ids {
        assert_eq!(sources(&mut ana, id).await.len(), 1);
    }
}

#[tokio::test]
async fn secrets_are_masked_and_health_is_left_out_without_consent() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let key = "sk-proj-Qb7Vw2Zk9Xc4Rt8Lm1Np5Hs3Jd6Gf0Ty";
    let answer = say(&mut ana, Role::User, &format!("My OpenAI key is {key}"), ExtractionMode::Wait).await;
    assert!(answer.messages[0].masked && answer.extracted[0].made_ids.is_empty(), "{answer:?}");
    let turn = ana.memory(&answer.messages[0].id).await;
    assert!(!turn.content.contains(key) && turn.content.starts_with("My OpenAI key is "), "{}", turn.content);
    let again = say(&mut ana, Role::User, &format!("My OpenAI key is {key}"), ExtractionMode::Wait).await;
    assert_eq!(again.messages[0].outcome(), MessageOutcome::Duplicate, "what was sent is the same");
    let health = heard(&mut ana, "I was diagnosed with diabetes in May.").await;
    assert!(health.made_ids.is_empty(), "{health:?}");
    assert_eq!(health.left_out[0].reason(), UnextractedReason::Sensitive);
    say(&mut ana, Role::User, "I live in Porto.", ExtractionMode::Skip).await;
    assert!(learned(&mut ana).await.is_empty());
}
