//! Automatic tags: assigned by rules and keywords, found by filters, separate from people's tags, and removed with the
//! memory's content.

use kimberly_proto::v1::{self as pb, DecisionAction, DecisionReason, Source};
use kimberly_tests::drafts::{draft, tagged};
use kimberly_tests::{System, User, eventually};

const TAG: &[&str] = &["tag"];

async fn with_tag(user: &mut User, tag: &str) -> Vec<pb::Memory> {
    user.list(pb::MemoryFilter { tags_any: vec![tag.to_owned()], ..Default::default() }).await
}

async fn ids_with(user: &mut User, tag: &str) -> Vec<String> {
    with_tag(user, tag).await.into_iter().map(|memory| memory.id).collect()
}

async fn recalled(user: &mut User, query: &str, tag: &str) -> usize {
    let filter = pb::MemoryFilter { tags_all: vec![tag.to_owned()], ..Default::default() };
    let request = pb::QueryMemoriesRequest {
        user_id: user.id(),
        query: query.to_owned(),
        filter: Some(filter),
        ..Default::default()
    };
    user.clients.memories.query_memories(request).await.expect("an answer").into_inner().results.len()
}

#[tokio::test]
async fn a_night_gives_tags_that_filters_find_and_that_go_with_the_words() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let mut uploaded = tagged("The quarterly budget for the harbour crane is due on Friday.", &["work"]);
    uploaded.source_ref = "https://docs.google.com/document/d/1".to_owned();
    uploaded.metadata.get_or_insert_default().set_source(Source::Upload);
    let budget = ana.remember_draft(uploaded).await;
    let crane = ana.remember("The crane at the harbour squeaks in the wind.").await.id;

    let planned = ana.plan_of(TAG).await;
    let [decision] = &planned[..] else { panic!("{planned:?}") };
    assert_eq!((decision.action(), decision.reason()), (DecisionAction::Tag, DecisionReason::Unread));
    assert!(with_tag(&mut ana, "harbour").await.is_empty(), "a plan changes nothing");

    ana.night_of(TAG).await;
    let found = ana.memory(&budget.id).await;
    assert_eq!(found.auto_tags, ["budget", "crane", "google-drive", "harbour", "quarterly", "upload"]);
    assert_eq!(found.metadata.expect("metadata").tags, ["work"], "what people give stays");
    assert_eq!(found.etag, budget.etag, "it was not edited");
    assert_eq!(with_tag(&mut ana, "harbour").await.len(), 2);
    assert_eq!(with_tag(&mut ana, "google-drive").await[0].auto_tags.len(), 6, "lists show them");
    assert_eq!(ids_with(&mut ana, "work").await, std::slice::from_ref(&budget.id));
    assert_eq!((recalled(&mut ana, "crane", "harbour").await, recalled(&mut ana, "crane", "upload").await), (2, 1));
    assert!(ana.plan_of(TAG).await.is_empty(), "a second night finds nothing to do");

    ana.write_over(&crane, "The lighthouse is open on Sundays.").await;
    assert_eq!(ids_with(&mut ana, "harbour").await, std::slice::from_ref(&budget.id), "old words go at once");
    ana.night_of(TAG).await;
    assert_eq!(ids_with(&mut ana, "lighthouse").await, [crane]);

    let before = ana.memory(&budget.id).await.auto_tags;
    let rebuild = pb::RebuildDerivedRequest { user_id: ana.id(), ..Default::default() };
    ana.clients.maintenance.rebuild_derived(rebuild).await.expect("rebuilt");
    let same = eventually("a rebuild gives the same tags", || {
        let (mut ana, id) = (system.user("ana"), budget.id.clone());
        async move { Some(ana.memory(&id).await.auto_tags).filter(|tags| !tags.is_empty()) }
    });
    assert_eq!(same.await, before);
}

#[tokio::test]
async fn nothing_sensitive_becomes_a_tag() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let plain = ana.remember("The zeppelin museum in Friedrichshafen opens at nine.").await.id;
    ana.night_of(TAG).await;
    assert_eq!(ids_with(&mut ana, "zeppelin").await, std::slice::from_ref(&plain));
    ana.consent().await;
    let mut memory = draft("");
    memory.metadata = Some(pb::Metadata { sensitive: true, ..Default::default() });
    let changed = pb::UpdateMemoryRequest {
        user_id: ana.id(),
        id: plain.clone(),
        memory: Some(memory),
        update_mask: Some(prost_types::FieldMask { paths: vec!["metadata.sensitive".to_owned()] }),
        ..Default::default()
    };
    ana.clients.memories.update_memory(changed).await.expect("a change");
    assert!(ids_with(&mut ana, "zeppelin").await.is_empty(), "at once");
    ana.night_of(TAG).await;
    assert!(ana.memory(&plain).await.auto_tags.is_empty());
}
