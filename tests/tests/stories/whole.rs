//! The common story of all clients: remember, recall, watch, change, page through ten thousand, meditate, forget.

use kimberly_proto::v1::watch_meditation_response::Event;
use kimberly_proto::v1::{self as pb, ChangeKind, ListOrder, MeditationStatus, MemoryState};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User, reason};
use tonic::Code;

const TOTAL: usize = 10_000;
const KEY: &str = "The spare key hangs behind the blue door.";
const MOVED: &str = "The spare key lies under the red mat.";
const QUESTION: &str = "where is the spare key?";

async fn remember(ana: &mut User, contents: &[String]) -> Vec<pb::MemoryReceipt> {
    let mut receipts = Vec::new();
    for batch in contents.chunks(1_000) {
        receipts.extend(ana.remember_all(batch.iter().map(|content| draft(content)).collect()).await);
    }
    receipts
}

/// Changes the key's memory, and tries again with the outdated etag.
async fn change(ana: &mut User, key: &pb::MemoryReceipt) {
    let request = pb::UpdateMemoryRequest {
        user_id: ana.id(),
        id: key.id.clone(),
        memory: Some(draft(MOVED)),
        update_mask: Some(prost_types::FieldMask { paths: vec!["content".to_owned()] }),
        etag: key.etag.clone(),
        ..Default::default()
    };
    ana.clients.memories.update_memory(request.clone()).await.expect("the etag is the current one");
    let stale = ana.clients.memories.update_memory(request).await.expect_err("a stale etag was taken");
    assert_eq!((stale.code(), reason(&stale).as_str()), (Code::Aborted, "ETAG_MISMATCH"));
}

async fn page_through(ana: &mut User) -> Vec<String> {
    let order = ListOrder::OldestFirst.into();
    let mut request = pb::ListMemoriesRequest { user_id: ana.id(), page_size: 1_000, order, ..Default::default() };
    let mut seen = Vec::new();
    loop {
        let page = ana.clients.memories.list_memories(request.clone()).await.expect("a page").into_inner();
        seen.extend(page.memories.into_iter().map(|memory| memory.content));
        request.page_token = page.next_page_token;
        if request.page_token.is_empty() {
            return seen;
        }
    }
}

/// Reads `count` changes from a cursor, or from now; returns the cursor after them.
async fn changes(ana: &mut User, cursor: &str, count: usize) -> (Vec<(ChangeKind, String)>, String) {
    let request = pb::WatchMemoriesRequest { user_id: ana.id(), cursor: cursor.to_owned(), ..Default::default() };
    let mut messages = ana.clients.memories.watch_memories(request).await.expect("a stream").into_inner();
    let mut seen = Vec::new();
    loop {
        let message = messages.message().await.expect("the stream goes on").expect("the stream does not end");
        seen.extend(message.change.map(|change| (change.kind(), change.memory_id)));
        if seen.len() >= count {
            return (seen, message.cursor);
        }
    }
}

/// The memory that a decision archives.
fn archived(decision: &pb::Decision) -> Option<String> {
    (decision.action() == pb::DecisionAction::Archive).then(|| decision.memory_id.clone())
}

/// Executes a plan and follows it to its end; the ids of its decisions, in order.
async fn watch(ana: &mut User, plan: &pb::MeditateResponse) -> Vec<String> {
    let request = pb::MeditateRequest { user_id: ana.id(), plan_token: plan.plan_token.clone(), ..Default::default() };
    let run = ana.clients.meditations.meditate(request).await.expect("the plan still holds").into_inner();
    let request = pb::WatchMeditationRequest { user_id: ana.id(), id: run.meditation.expect("a run").id };
    let mut events = ana.clients.meditations.watch_meditation(request).await.expect("a stream").into_inner();
    let mut decided = Vec::new();
    let mut last = MeditationStatus::Unspecified;
    while let Some(message) = events.message().await.expect("the stream ends in order") {
        match message.event.expect("an event") {
            Event::Progress(run) => last = run.status(),
            Event::Decision(decision) => decided.extend(archived(&decision)),
        }
    }
    assert_eq!(last, MeditationStatus::Complete);
    decided
}

#[tokio::test]
async fn the_story_holds_over_generated_stubs() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let mut contents: Vec<String> = (1..TOTAL).map(|n| format!("note number {n}")).collect();
    contents.push(KEY.to_owned());
    let receipts = remember(&mut ana, &contents).await;
    let key = receipts.last().expect("a receipt");
    assert_eq!(ana.recalled(QUESTION).await[0], KEY);

    let (none, cursor) = changes(&mut ana, "", 0).await;
    assert!(none.is_empty(), "a stream from now began with a change");
    change(&mut ana, key).await;
    assert_eq!(ana.recalled(QUESTION).await[0], MOVED);
    contents[TOTAL - 1] = MOVED.to_owned();
    assert!(page_through(&mut ana).await == contents, "pages hold something else, or in another order");

    let quota = receipts.iter().map(|receipt| receipt.size_bytes).sum::<i64>() * 99 / 100;
    let settings = pb::UserSettings { long_term_quota_bytes: Some(quota), ..Default::default() };
    ana.set(settings, &["long_term_quota_bytes"]).await;
    let plan = ana.plan().await;
    assert!(!plan.decisions.is_empty() && plan.decisions.len() < TOTAL / 10);
    assert_eq!(ana.metrics().await.archive.expect("the archive").items, 0, "a dry run changed something");
    let (updated, cursor) = changes(&mut ana, &cursor, 1).await;
    let planned: Vec<String> = plan.decisions.iter().filter_map(archived).collect();
    assert_eq!(watch(&mut ana, &plan).await, planned);

    assert_eq!(ana.forget(&key.id).await.state(), MemoryState::Deleted);
    assert!(!ana.recalled(QUESTION).await.contains(&MOVED.to_owned()));

    let (since, _) = changes(&mut ana, &cursor, planned.len() + 1).await;
    let mut expected = vec![(ChangeKind::Updated, key.id.clone())];
    expected.extend(planned.into_iter().map(|id| (ChangeKind::Archived, id)));
    expected.push((ChangeKind::Deleted, key.id.clone()));
    assert_eq!([updated, since].concat(), expected);
}
