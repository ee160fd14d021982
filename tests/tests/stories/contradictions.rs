//! A person resolves a contradiction between two memories, and can undo that.

use kimberly_proto::v1::history_event::What;
use kimberly_proto::v1::{self as pb, Relation, Resolution};
use kimberly_tests::{System, User, reason};
use tonic::Code;

async fn contradict(ana: &mut User, from: &str, to: &str) {
    let (from_id, to_id) = (from.to_owned(), to.to_owned());
    let link = Some(pb::MemoryLink { from_id, relation: Relation::Contradicts.into(), to_id, ..Default::default() });
    let request = pb::LinkRequest { user_id: ana.id(), link, request_id: String::new() };
    ana.clients.links.link(request).await.expect("a link");
}

async fn open(ana: &mut User) -> Vec<(String, String)> {
    let request = pb::ListContradictionsRequest { user_id: ana.id(), ..Default::default() };
    let answer = ana.clients.links.list_contradictions(request).await.expect("a list").into_inner();
    let id = |memory: Option<pb::Memory>| memory.expect("a memory").id;
    answer.contradictions.into_iter().map(|one| (id(one.from_memory), id(one.to_memory))).collect()
}

fn resolution(ana: &User, (from, to): (&str, &str), resolution: Resolution) -> pb::ResolveContradictionRequest {
    pb::ResolveContradictionRequest {
        user_id: ana.id(),
        from_id: from.to_owned(),
        to_id: to.to_owned(),
        resolution: resolution.into(),
        reason: "she said so".to_owned(),
        request_id: format!("{from} {resolution:?}"),
    }
}

async fn resolved(ana: &mut User, pair: (&str, &str), how: Resolution) -> pb::ResolveContradictionResponse {
    let request = resolution(ana, pair, how);
    let first = ana.clients.links.resolve_contradiction(request.clone()).await.expect("a resolution").into_inner();
    let again = ana.clients.links.resolve_contradiction(request).await.expect("a replay").into_inner();
    assert_eq!(first, again, "a replay is answered as the first");
    first
}

#[tokio::test]
async fn the_retained_memory_supersedes_the_other_until_that_is_undone() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let porto = ana.remember("Chen lives in Porto").await.id;
    let lisbon = ana.remember("Chen lives in Lisbon").await.id;
    contradict(&mut ana, &lisbon, &porto).await;
    assert_eq!(open(&mut ana).await, [(lisbon.clone(), porto.clone())]);
    let answer = resolved(&mut ana, (&lisbon, &porto), Resolution::KeepFrom).await;
    assert_eq!((answer.ended_id.as_str(), answer.valid_to.is_some()), (porto.as_str(), true));
    assert!(open(&mut ana).await.is_empty());
    assert_eq!(ana.recalled("where does Chen live").await, ["Chen lives in Lisbon"]);
    let history = pb::GetHistoryRequest { user_id: ana.id(), id: porto.clone() };
    let events = ana.clients.records.get_history(history).await.expect("a timeline").into_inner().events;
    let ended = events.iter().any(|event| matches!(&event.what, Some(What::Ended(end)) if end.reason == "she said so"));
    let superseded = |link: &pb::MemoryLink| {
        link.relation() == Relation::Supersedes && link.source_type() == pb::SourceType::UserResolved
    };
    let linked = events.iter().any(|event| matches!(&event.what, Some(What::Linked(link)) if superseded(link)));
    assert!(ended && linked, "{events:?}");

    let back = pb::UpdateMemoryRequest {
        user_id: ana.id(),
        id: porto.clone(),
        memory: Some(pb::MemoryDraft::default()),
        update_mask: Some(prost_types::FieldMask { paths: vec!["valid_to".to_owned()] }),
        ..Default::default()
    };
    ana.clients.memories.update_memory(back).await.expect("it holds again");
    assert_eq!(open(&mut ana).await, [(lisbon.clone(), porto.clone())], "it is open again");
    let answer = resolved(&mut ana, (&lisbon, &porto), Resolution::KeepTo).await;
    assert_eq!(answer.ended_id, lisbon);
    let superseded = |filter| async {
        let request = pb::ListLinksRequest { user_id: ana.id(), id: filter, ..Default::default() };
        let links = ana.clients.links.clone().list_links(request).await.expect("links").into_inner().links;
        links
            .into_iter()
            .filter(|link| link.relation() == Relation::Supersedes)
            .map(|link| link.to_id)
            .collect::<Vec<_>>()
    };
    assert_eq!(superseded(porto.clone()).await, std::slice::from_ref(&lisbon), "the earlier decision is gone");
    resolved(&mut ana, (&lisbon, &porto), Resolution::KeepBoth).await;
    assert_eq!(ana.list(pb::MemoryFilter::default()).await.len(), 2, "both hold again");
}

#[tokio::test]
async fn both_may_hold_and_what_contradicts_nothing_is_refused() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let tea = ana.remember("Ana likes tea").await.id;
    let coffee = ana.remember("Ana likes coffee").await.id;
    let refused = ana.clients.links.resolve_contradiction(resolution(&ana, (&tea, &coffee), Resolution::KeepTo)).await;
    let refused = refused.expect_err("nothing says that they contradict");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "WRONG_STATE"));
    contradict(&mut ana, &tea, &coffee).await;
    let answer = resolved(&mut ana, (&tea, &coffee), Resolution::KeepBoth).await;
    assert_eq!(answer, pb::ResolveContradictionResponse::default());
    assert!(open(&mut ana).await.is_empty());
    assert_eq!(ana.list(pb::MemoryFilter::default()).await.len(), 2, "both hold");
    contradict(&mut ana, &tea, &coffee).await;
    assert_eq!(open(&mut ana).await.len(), 1, "linked again, it is open again");
}
