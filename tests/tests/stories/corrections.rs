//! Present and past validity: corrections, revisions, invalidations, and their timeline.

use kimberly_proto::v1::history_event::What;
use kimberly_proto::v1::{self as pb, Kind, Relation};
use kimberly_tests::drafts::draft;
use kimberly_tests::kinds::of_kind;
use kimberly_tests::{System, User, reason};

async fn contents(ana: &mut User, filter: pb::MemoryFilter) -> Vec<String> {
    let mut all: Vec<String> = ana.list(filter).await.into_iter().map(|memory| memory.content).collect();
    all.sort();
    all
}

async fn recalled(ana: &mut User, filter: pb::MemoryFilter) -> Vec<String> {
    let request = pb::QueryMemoriesRequest {
        user_id: ana.id(),
        query: "where does Chen live".to_owned(),
        filter: Some(filter),
        ..Default::default()
    };
    let answer = ana.clients.memories.query_memories(request).await.expect("a recall").into_inner();
    let mut all: Vec<String> = answer.results.into_iter().filter_map(|result| Some(result.memory?.content)).collect();
    all.sort();
    all
}

async fn history(ana: &mut User, id: &str) -> Vec<What> {
    let request = pb::GetHistoryRequest { user_id: ana.id(), id: id.to_owned() };
    let answer = ana.clients.records.get_history(request).await.expect("a timeline").into_inner();
    answer.events.into_iter().filter_map(|event| event.what).collect()
}

#[tokio::test]
async fn a_correction_holds_from_now_on_and_what_held_is_found_by_its_time() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let porto = ana.remember_draft(pb::MemoryDraft { importance: 7, ..draft("Chen lives in Porto") }).await;
    let before = porto.created_at;
    let request = pb::CorrectMemoryRequest {
        user_id: ana.id(),
        id: porto.id.clone(),
        content: "Chen lives in Lisbon".to_owned(),
        reason: "Ana said so".to_owned(),
        request_id: "once".to_owned(),
        ..Default::default()
    };
    let mut corrected = Vec::new();
    for _ in 0..2 {
        let answer = ana.clients.records.correct_memory(request.clone()).await.expect("a correction").into_inner();
        corrected.push(answer.receipt.expect("a receipt"));
    }
    assert_eq!(corrected[0], corrected[1], "a replay is answered as the first");
    let other = pb::CorrectMemoryRequest { etag: corrected[0].etag.clone(), ..request.clone() };
    let refused = ana.clients.records.correct_memory(other).await.expect_err("the same request_id with another etag");
    assert_eq!(refused.code(), tonic::Code::FailedPrecondition);
    let lisbon = ana.memory(&corrected[0].id).await;
    assert_eq!((lisbon.importance, lisbon.source_type()), (7, pb::SourceType::Correction));
    assert!((lisbon.confidence() - 1.0).abs() < 1e-12, "{lisbon:?}");
    let (now, then) = (pb::MemoryFilter::default(), pb::MemoryFilter { valid_at: before, ..Default::default() });
    let ever = pb::MemoryFilter { any_time: true, ..Default::default() };
    assert_eq!(recalled(&mut ana, now.clone()).await, ["Chen lives in Lisbon"]);
    assert_eq!(contents(&mut ana, now).await, ["Chen lives in Lisbon"]);
    assert_eq!(recalled(&mut ana, then).await, ["Chen lives in Porto"]);
    assert_eq!(contents(&mut ana, ever).await, ["Chen lives in Lisbon", "Chen lives in Porto"]);
    let again = pb::CorrectMemoryRequest { request_id: String::new(), ..request };
    let refused = ana.clients.records.correct_memory(again).await.expect_err("it is superseded");
    assert_eq!(reason(&refused), "WRONG_STATE");
    let events = history(&mut ana, &porto.id).await;
    assert!(matches!(events.first(), Some(What::Created(_))), "{events:?}");
    let superseded = events.iter().any(|what| {
        matches!(what, What::Linked(link) if link.relation() == Relation::Supersedes
            && link.from_id == lisbon.id && link.evidence == "Ana said so")
    });
    assert!(superseded, "{events:?}");
}

#[tokio::test]
async fn a_belief_is_revised_in_a_chain_and_what_does_not_hold_any_more_comes_back() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let episode = ana.remember_draft(draft("Five releases in a week")).await.id;
    let first = ana.remember_draft(of_kind("Small releases break more", Kind::Belief, None)).await.id;
    let mut last = first.clone();
    for (content, episode_id) in
        [("Small releases break less", &episode), ("Tested releases break less", &String::new())]
    {
        let request = pb::ReviseBeliefRequest {
            user_id: ana.id(),
            id: last.clone(),
            content: content.to_owned(),
            confidence: Some(0.8),
            episode_id: episode_id.clone(),
            ..Default::default()
        };
        let answer = ana.clients.records.revise_belief(request).await.expect("a revision").into_inner();
        last = answer.receipt.expect("a receipt").id;
    }
    assert!((ana.memory(&last).await.confidence() - 0.48).abs() < 1e-12, "0.8 times the weight of an inference");
    let request = pb::LineageRequest { user_id: ana.id(), id: last.clone(), ..Default::default() };
    let steps = ana.clients.links.lineage(request).await.expect("links are followed").into_inner().steps;
    let reached: Vec<String> = steps.into_iter().filter_map(|step| Some(step.link?.to_id)).collect();
    assert!(reached.contains(&first) && reached.contains(&episode), "{reached:?}");
    let plain =
        pb::ReviseBeliefRequest { user_id: ana.id(), id: episode.clone(), content: "x".into(), ..Default::default() };
    let refused = ana.clients.records.revise_belief(plain).await.expect_err("it is no belief");
    assert_eq!(reason(&refused), "WRONG_STATE");
    let invalidate = pb::InvalidateMemoryRequest {
        user_id: ana.id(),
        id: last.clone(),
        reason: "the measure was wrong".to_owned(),
        ..Default::default()
    };
    ana.clients.records.invalidate_memory(invalidate).await.expect("it holds no longer");
    assert_eq!(
        contents(&mut ana, pb::MemoryFilter { kinds: vec![Kind::Belief.into()], ..Default::default() }).await,
        [""; 0]
    );
    let events = history(&mut ana, &last).await;
    assert!(
        events.iter().any(|what| matches!(what, What::Ended(end) if end.reason == "the measure was wrong")),
        "{events:?}"
    );
    let clear = pb::UpdateMemoryRequest {
        user_id: ana.id(),
        id: last.clone(),
        memory: Some(pb::MemoryDraft::default()),
        update_mask: Some(prost_types::FieldMask { paths: vec!["valid_to".to_owned()] }),
        ..Default::default()
    };
    ana.clients.memories.update_memory(clear).await.expect("it holds again");
    let beliefs = pb::MemoryFilter { kinds: vec![Kind::Belief.into()], ..Default::default() };
    assert_eq!(contents(&mut ana, beliefs).await, ["Tested releases break less"]);
}

#[tokio::test]
async fn a_corrected_record_hands_its_name_on_and_documents_and_blocks_are_not_corrected() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let named = pb::MemoryDraft { name: "notes/ferry.md".to_owned(), ..draft("The ferry leaves at nine") };
    let old = ana.remember_draft(named).await.id;
    let correct = |ana: &User, id: &str, content: &str| pb::CorrectMemoryRequest {
        user_id: ana.id(),
        id: id.to_owned(),
        content: content.to_owned(),
        ..Default::default()
    };
    let mut last = old.clone();
    for content in ["The ferry leaves at ten", "The ferry leaves at eleven"] {
        let request = correct(&ana, &last, content);
        let answer = ana.clients.records.correct_memory(request).await.expect("a correction").into_inner();
        last = answer.receipt.expect("a receipt").id;
    }
    let known_as_of = ana.memory(&old).await.created_at;
    let edit = pb::EditRecordRequest {
        user_id: ana.id(),
        name: "notes/ferry.md".to_owned(),
        edit: Some(pb::edit_record_request::Edit::Whole("The ferry leaves at noon".to_owned())),
        ..Default::default()
    };
    let before = ana.memory(&last).await.updated_at;
    ana.clients.named.edit_record(edit).await.expect("an edit");
    let known = pb::MemoryFilter { known_as_of: before, ..Default::default() };
    assert_eq!(contents(&mut ana, known).await, ["The ferry leaves at eleven"], "as it was known then");
    let first = pb::MemoryFilter { known_as_of, ..Default::default() };
    assert_eq!(contents(&mut ana, first).await, ["The ferry leaves at nine"]);
    let get = pb::GetNamedRecordRequest { user_id: ana.id(), name: "notes/ferry.md".to_owned(), ..Default::default() };
    let shown = ana.clients.named.get_named_record(get).await.expect("it has a record").into_inner();
    let shown = shown.memory.expect("a record");
    assert_eq!((&shown.id, shown.content.as_str()), (&last, "The ferry leaves at noon"));
    assert_eq!(ana.memory(&old).await.name, "");
    let request = pb::IngestDocumentRequest {
        user_id: ana.id(),
        original: Some(pb::ingest_document_request::Original::Text("Staff have 25 days.".to_owned())),
        media_type: "text/plain".to_owned(),
        ..Default::default()
    };
    let document = ana.clients.documents.ingest_document(request).await.expect("a document").into_inner();
    let block = pb::AddBlockRequest {
        user_id: ana.id(),
        label: "persona".to_owned(),
        content: "I am calm.".to_owned(),
        ..Default::default()
    };
    let block = ana.clients.core.add_block(block).await.expect("a block").into_inner();
    let (document, block) = (document.receipt.expect("a receipt").id, block.receipt.expect("a receipt").id);
    for id in [&document, &block] {
        let request = correct(&ana, id, "else");
        let refused = ana.clients.records.correct_memory(request).await.expect_err("it is not corrected");
        assert_eq!(reason(&refused), "WRONG_STATE");
    }
    // A memory that has ended, or a core memory block, cannot be invalidated.
    for id in [&old, &block] {
        let request = pb::InvalidateMemoryRequest { user_id: ana.id(), id: id.clone(), ..Default::default() };
        let refused = ana.clients.records.invalidate_memory(request).await.expect_err("it ended, or is a block");
        assert_eq!(reason(&refused), "WRONG_STATE");
    }
}

#[tokio::test]
async fn a_corrected_fact_says_nothing_of_the_old_one_and_ends_when_that_was_to_end() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let fact = pb::FactDetail {
        subject: "the train".to_owned(),
        predicate: "leaves at".to_owned(),
        object: "nine".to_owned(),
    };
    let until = prost_types::Timestamp { seconds: 4_000_000_000, nanos: 0 };
    let said = pb::MemoryDraft {
        valid_to: Some(until),
        ..of_kind("The train leaves at nine", Kind::Fact, Some(pb::detail::Kind::Fact(fact)))
    };
    let id = ana.remember_draft(said).await.id;
    let request = pb::CorrectMemoryRequest {
        user_id: ana.id(),
        id,
        content: "The train leaves at ten".to_owned(),
        ..Default::default()
    };
    let answer = ana.clients.records.correct_memory(request).await.expect("a correction").into_inner();
    let now = ana.memory(&answer.receipt.expect("a receipt").id).await;
    assert_eq!(
        (now.kind(), now.subject.as_str(), now.detail, now.valid_to),
        (Kind::Fact, "the train", None, Some(until))
    );
}
