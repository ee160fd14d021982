//! Long sessions: the oldest turns are summarized once and stay stored; no summary keeps text of a forgotten turn.

use std::collections::{HashMap, HashSet};

use kimberly_proto::v1::{self as pb, ContextPart, Role};
use kimberly_tests::{System, User, eventually};

const BY_FIVE: [(&str, &str); 2] = [("KIMBERLY_COMPACTING__BATCH", "5"), ("KIMBERLY_COMPACTING__KEEP", "5")];

const WHO: [&str; 5] = ["Ana", "Bruno", "Chen", "Dora", "Emil"];
const WHAT: [&str; 7] = ["repair", "paint", "sell", "borrow", "clean", "measure", "photograph"];
const THING: [&str; 9] = ["boat", "piano", "ladder", "lamp", "carpet", "window", "bicycle", "stove", "chimney"];
const WHY: [&str; 11] =
    ["rain", "guests", "noise", "taxes", "smoke", "winter", "mice", "dust", "a wedding", "a move", "a storm"];

/// A unique message for each position in a conversation.
fn told(n: usize) -> String {
    let (who, what) = (WHO[n % WHO.len()], WHAT[n % WHAT.len()]);
    let (thing, why) = (THING[n % THING.len()], WHY[n % WHY.len()]);
    format!("{who} decided to {what} the {thing} in house {n} because of {why}.")
}

/// The positions of the messages that a text quotes, in order of occurrence.
fn quoted(text: &str) -> Vec<usize> {
    let mut found: Vec<(usize, usize)> = (0..100).filter_map(|n| Some((text.find(&told(n))?, n))).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, n)| n).collect()
}

fn said(content: &str, role: Role) -> pb::Message {
    pb::Message { role: role.into(), content: content.to_owned(), ..pb::Message::default() }
}

async fn observe(user: &mut User, messages: Vec<pb::Message>, sensitive: bool) -> Vec<String> {
    let request = pb::ObserveRequest {
        user_id: user.id(),
        session_id: "s".to_owned(),
        messages,
        sensitive,
        extraction: pb::ExtractionMode::Skip.into(),
        ..Default::default()
    };
    let answer = user.clients.conversations.observe(request).await.expect("messages are taken in").into_inner();
    answer.messages.into_iter().map(|message| message.id).collect()
}

async fn tell(user: &mut User, numbers: std::ops::Range<usize>) -> Vec<String> {
    observe(user, numbers.map(|n| said(&told(n), Role::User)).collect(), false).await
}

async fn compact(user: &mut User, keep: i32) -> pb::CompactSessionResponse {
    let request = pb::CompactSessionRequest {
        user_id: user.id(),
        session_id: "s".to_owned(),
        keep: Some(keep),
        ..Default::default()
    };
    user.clients.conversations.compact_session(request).await.expect("a session was compacted").into_inner()
}

async fn summaries(user: &mut User) -> Vec<pb::Memory> {
    let filter = pb::MemoryFilter { kinds: vec![pb::Kind::Summary.into()], ..Default::default() };
    let mut found = user.list(filter).await;
    found.reverse();
    found
}

/// The turns that a summary covers.
async fn covered(user: &mut User, id: &str) -> HashSet<String> {
    let request = pb::ListLinksRequest {
        user_id: user.id(),
        id: id.to_owned(),
        relations: vec![pb::Relation::Summarizes.into()],
        direction: pb::LinkDirection::Out.into(),
        page_size: 1_000,
        ..Default::default()
    };
    let links = user.clients.links.list_links(request).await.expect("links").into_inner().links;
    links.into_iter().map(|link| link.to_id).collect()
}

/// The number of summaries that cover each turn.
async fn coverage(user: &mut User) -> HashMap<String, usize> {
    let mut coverage = HashMap::new();
    for summary in summaries(user).await {
        for turn in covered(user, &summary.id).await {
            *coverage.entry(turn).or_default() += 1;
        }
    }
    coverage
}

async fn context(user: &mut User, request: pb::GetContextRequest) -> pb::GetContextResponse {
    let request = pb::GetContextRequest { user_id: user.id(), session_id: "s".to_owned(), ..request };
    user.clients.conversations.get_context(request).await.expect("a context").into_inner()
}

fn of(context: &pb::GetContextResponse, part: ContextPart) -> Vec<&str> {
    context.items.iter().filter(|item| item.part() == part).map(|item| item.id.as_str()).collect()
}

#[tokio::test]
async fn a_long_session_is_compacted_once_also_when_processes_are_killed() {
    let mut system = System::start().await;
    for worker in system.workers() {
        worker.kill9();
    }
    let mut ana = system.user("ana");
    let mut turns = tell(&mut ana, 0..34).await;
    turns.extend(tell(&mut ana, 34..36).await);
    assert!(summaries(&mut ana).await.is_empty(), "no worker runs");
    system.api.kill9();
    system.api.start_again();
    for worker in system.workers() {
        worker.start_again();
    }
    system.wait_until_api_serves().await;
    let mut ana = system.user("ana");
    let made = eventually("a summary", || {
        let mut ana = ana.clone();
        async move { summaries(&mut ana).await.into_iter().next() }
    });
    let summary = made.await;
    for worker in system.workers() {
        worker.kill9();
        worker.start_again();
    }
    let oldest: HashSet<String> = turns[..20].iter().cloned().collect();
    assert_eq!(covered(&mut ana, &summary.id).await, oldest);
    assert!(summary.content.starts_with("user: ") && quoted(&summary.content).len() > 1, "{}", summary.content);
    assert_eq!((summary.session_id.as_str(), summary.tier()), ("s", pb::Tier::LongTerm));
    turns.extend(tell(&mut ana, 36..60).await);
    let all = eventually("what is left in short", || {
        let mut ana = ana.clone();
        async move { Some(coverage(&mut ana).await).filter(|coverage| coverage.len() == 40) }
    });
    assert!(all.await.values().all(|times| *times == 1), "each turn is in one summary");
    let whole = context(&mut ana, pb::GetContextRequest { budget_tokens: 4_000, ..Default::default() }).await;
    assert_eq!(of(&whole, ContextPart::Snapshots).len(), 2, "{}", whole.text);
    let last: Vec<&str> = turns[40..].iter().map(String::as_str).collect();
    assert_eq!(of(&whole, ContextPart::Turns), last);
    let found = ana.recall(&told(3)).await;
    let found: Vec<&str> = found.iter().filter_map(|one| Some(one.memory.as_ref()?.id.as_str())).collect();
    assert_eq!(found[0], turns[3], "turns are recalled as before");
    assert!(!found.contains(&summary.id.as_str()), "and the summary gives way: {found:?}");
}

/// The position of a turn that the only summary quotes.
async fn quote(user: &mut User) -> usize {
    let made = summaries(user).await;
    assert_eq!(made.len(), 1, "one summary");
    quoted(&made[0].content)[0]
}

#[tokio::test]
async fn nothing_of_a_turn_that_is_erased_deleted_or_changed_stays_in_a_summary() {
    let system = System::start_with(&[("KIMBERLY_COMPACTING__ENABLED", "false")]).await;
    let mut ana = system.user("ana");
    let turns = tell(&mut ana, 0..10).await;
    let made = compact(&mut ana, 0).await;
    assert_eq!((made.summary_ids.len(), made.turns), (1, 10));
    assert!(compact(&mut ana, 0).await.summary_ids.is_empty(), "once");
    let erased = quote(&mut ana).await;
    let request =
        pb::ForgetMemoriesRequest { user_id: ana.id(), ids: vec![turns[erased].clone()], ..Default::default() };
    let [summary] = &made.summary_ids[..] else { panic!("{made:?}") };
    let concluded = ana.remember("They decide by train").await.id;
    let (from_id, to_id) = (concluded.clone(), summary.clone());
    let link = pb::MemoryLink { from_id, relation: pb::Relation::DerivedFrom.into(), to_id, ..Default::default() };
    let link = pb::LinkRequest { user_id: ana.id(), link: Some(link), request_id: String::new() };
    ana.clients.links.link(link).await.expect("a link");
    let answer = ana.clients.memories.forget_memories(request).await.expect("erased").into_inner();
    assert!(summaries(&mut ana).await.is_empty());
    assert_eq!((answer.derived_erased, answer.marked_stale), (0, 1));
    assert!(ana.memory(&concluded).await.stale_since.is_some(), "it rested on nine other turns, too");
    assert_eq!(compact(&mut ana, 0).await.turns, 9, "the others are put in short again");
    let deleted = quote(&mut ana).await;
    assert_ne!(deleted, erased);
    ana.forget(&turns[deleted]).await;
    assert!(summaries(&mut ana).await.is_empty());
    assert_eq!(compact(&mut ana, 0).await.turns, 8);
    let changed = quote(&mut ana).await;
    ana.write_over(&turns[changed], "We decided to walk.").await;
    assert!(summaries(&mut ana).await.is_empty());
    assert_eq!(compact(&mut ana, 0).await.turns, 8);
    let made = summaries(&mut ana).await;
    let [summary] = &made[..] else { panic!("one summary") };
    let left = quoted(&summary.content);
    assert!(!left.is_empty() && [erased, deleted, changed].iter().all(|gone| !left.contains(gone)), "{left:?}");
}

#[tokio::test]
async fn a_summary_is_as_sensitive_as_its_turns_and_goes_with_their_consent() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let consent = ana.consent().await;
    tell(&mut ana, 0..6).await;
    let secrets = observe(&mut ana, vec![said("I was diagnosed with diabetes in May.", Role::User)], true).await;
    tell(&mut ana, 6..10).await;
    assert_eq!(compact(&mut ana, 0).await.turns, 11);
    let made = summaries(&mut ana).await;
    let [plain, sensitive] = &made[..] else { panic!("{made:?}") };
    assert!(
        !plain.metadata.as_ref().is_some_and(|of| of.sensitive) && !plain.content.contains("diabetes"),
        "{plain:?}"
    );
    assert!(sensitive.metadata.as_ref().is_some_and(|of| of.sensitive) && sensitive.content.contains("diabetes"));
    assert_eq!(sensitive.consent_id, consent.id);
    assert_eq!(covered(&mut ana, &sensitive.id).await, secrets.into_iter().collect());
    let retract = pb::RetractConsentRequest { user_id: ana.id(), id: consent.id, ..Default::default() };
    ana.clients.consents.retract_consent(retract).await.expect("retracted");
    assert_eq!(summaries(&mut ana).await.len(), 1);
}

#[tokio::test]
async fn older_summaries_are_summarized_again_and_a_session_that_ends_is_compacted() {
    let few =
        [&BY_FIVE[..], &[("KIMBERLY_COMPACTING__SNAPSHOTS", "2"), ("KIMBERLY_COMPACTING__ENABLED", "true")]].concat();
    let system = System::start_with(&few).await;
    let mut ana = system.user("ana");
    let turns = tell(&mut ana, 0..9).await;
    let rest = tell(&mut ana, 9..26).await;
    let end = pb::EndSessionRequest { user_id: ana.id(), session_id: "s".to_owned(), ..Default::default() };
    ana.clients.memories.end_session(end).await.expect("the session ends");
    let coverage = coverage(&mut ana).await;
    let all: HashSet<&String> = turns.iter().chain(&rest).collect();
    assert_eq!(coverage.keys().collect::<HashSet<_>>(), all);
    assert!(coverage.values().all(|times| *times == 1), "{coverage:?}");
    let kept = summaries(&mut ana).await;
    assert_eq!(kept.len(), 2, "{kept:?}");
    let short = context(&mut ana, pb::GetContextRequest::default()).await;
    assert_eq!((of(&short, ContextPart::Snapshots).len(), of(&short, ContextPart::Turns).len()), (2, 0));
    let parts = vec![ContextPart::Snapshots.into()];
    let short = context(&mut ana, pb::GetContextRequest { parts, ..Default::default() }).await;
    let quoted = quoted(&short.text);
    assert!(quoted.len() > 2 && quoted.is_sorted(), "in the order of the conversation: {}", short.text);
}

#[tokio::test]
async fn a_conversation_that_fills_the_window_is_compacted_before_its_context_is_made() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let turns = tell(&mut ana, 0..12).await;
    let of_window =
        |tokens| pb::GetContextRequest { context_window_tokens: tokens, budget_tokens: 4_000, ..Default::default() };
    let roomy = context(&mut ana, of_window(4_000)).await;
    assert_eq!((of(&roomy, ContextPart::Snapshots).len(), of(&roomy, ContextPart::Turns).len()), (0, 12));
    let tight = context(&mut ana, of_window(200)).await;
    let made = summaries(&mut ana).await;
    let [summary] = &made[..] else { panic!("one summary: {}", tight.text) };
    let covered = covered(&mut ana, &summary.id).await;
    assert!(covered.len() >= 6 && !covered.contains(&turns[11]), "{covered:?}");
    let after = context(&mut ana, of_window(4_000)).await;
    assert_eq!(of(&after, ContextPart::Snapshots), [summary.id.as_str()]);
    assert_eq!(of(&after, ContextPart::Turns).len(), 12 - covered.len());
}

#[tokio::test]
async fn compacted_turns_make_room_before_others() {
    let mut system = System::start_with(&BY_FIVE).await;
    for worker in system.workers() {
        worker.kill9();
    }
    let mut ana = system.user("ana");
    let quota = pb::UserSettings { long_term_quota_bytes: Some(16 * 1024), ..Default::default() };
    ana.set(quota, &["long_term_quota_bytes"]).await;
    let words = |n: usize| said(&format!("{n}: {}", "words of a long afternoon ".repeat(30)), Role::User);
    let others = observe(&mut ana, (0..6).map(words).collect(), false).await;
    compact(&mut ana, 0).await;
    let newer = observe(&mut ana, (6..34).map(words).collect(), false).await;
    let archived = pb::MemoryFilter { states: vec![pb::MemoryState::Archived.into()], ..Default::default() };
    let archived: HashSet<String> = ana.list(archived).await.into_iter().map(|memory| memory.id).collect();
    assert!(others.iter().all(|id| archived.contains(id)), "what a summary covers goes first");
    assert!(newer.iter().any(|id| !archived.contains(id)));
}
