//! Records with kinds: storing each kind, filters, verification, uncertainty, playbooks, relationships.

use kimberly_proto::v1::{self as pb, Kind, Layer};
use kimberly_tests::drafts::draft;
use kimberly_tests::kinds::{of_kind, one_of_each, playbook, relationship};
use kimberly_tests::{System, User, reason};
use tonic::Code;

async fn verified(ana: &mut User, id: &str, request_id: &str) -> pb::VerifyMemoryResponse {
    let request = pb::VerifyMemoryRequest {
        user_id: ana.id(),
        id: id.to_owned(),
        request_id: request_id.to_owned(),
        ..Default::default()
    };
    ana.clients.records.verify_memory(request).await.expect("a memory is verified").into_inner()
}

async fn found(ana: &mut User, situation: &str) -> Vec<pb::Memory> {
    let request = pb::FindPlaybooksRequest { user_id: ana.id(), situation: situation.to_owned(), ..Default::default() };
    let answer = ana.clients.records.find_playbooks(request).await.expect("playbooks are found").into_inner();
    answer.playbooks.into_iter().map(|found| found.memory.expect("a playbook")).collect()
}

async fn best(ana: &mut User, situation: &str) -> String {
    found(ana, situation).await.first().map(|memory| memory.id.clone()).unwrap_or_default()
}

async fn used(ana: &mut User, id: &str, success: bool, request_id: &str) -> pb::RecordPlaybookUseResponse {
    let request = pb::RecordPlaybookUseRequest {
        user_id: ana.id(),
        id: id.to_owned(),
        success,
        request_id: request_id.to_owned(),
    };
    ana.clients.records.record_playbook_use(request).await.expect("a use is counted").into_inner()
}

async fn contents(ana: &mut User, filter: pb::MemoryFilter) -> Vec<String> {
    let mut all: Vec<String> = ana.list(filter).await.into_iter().map(|memory| memory.content).collect();
    all.sort();
    all
}

#[tokio::test]
async fn a_record_of_each_kind_comes_back_as_it_was_written_also_after_a_kill() {
    let mut system = System::start().await;
    let mut ana = system.user("ana");
    let drafts = one_of_each();
    assert_eq!(drafts.len(), 18, "a kind is missing");
    let receipts = ana.remember_all(drafts.clone()).await;
    system.restart_api().await;
    let mut ana = system.user("ana");
    for (draft, receipt) in drafts.into_iter().zip(receipts) {
        let memory = ana.memory(&receipt.id).await;
        assert_ne!(memory.layer(), Layer::Unspecified, "{}", draft.content);
        assert_eq!((memory.kind, memory.detail), (draft.kind, draft.detail), "{}", draft.content);
        let page = ana.list(pb::MemoryFilter { kinds: vec![draft.kind], ..Default::default() }).await;
        assert_eq!(page.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), [receipt.id.as_str()]);
    }
    let identity = pb::MemoryFilter { layers: vec![Layer::Identity.into()], ..Default::default() };
    assert_eq!(contents(&mut ana, identity).await, ["Honesty before comfort", "I want to understand"]);
    let about = pb::MemoryFilter { subjects: vec!["ANA".to_owned()], ..Default::default() };
    assert_eq!(contents(&mut ana, about).await, ["Ana moved"], "a detail says whom it is about");
    let found = ana.recalled("what was decided about Mondays?").await;
    assert!(found.iter().any(|content| content == "We release weekly"), "a detail is searched: {found:?}");
}

#[tokio::test]
async fn filters_on_belief_select_what_they_say() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
    let inference = pb::SourceType::Inference.into();
    let old = pb::MemoryDraft { valid_to: at(1_000_000_000), importance: 8, ..draft("Ana lives in Porto") };
    let new = pb::MemoryDraft { valid_from: at(1_000_000_000), importance: 3, ..draft("Ana lives in Lisbon") };
    let guess = pb::MemoryDraft { source_type: inference, confidence: Some(0.5), ..draft("Ana may like tea") };
    ana.remember_all(vec![old, new, guess]).await;
    let valid = |seconds| pb::MemoryFilter { valid_at: at(seconds), min_importance: 1, ..Default::default() };
    assert_eq!(contents(&mut ana, valid(900_000_000)).await, ["Ana lives in Porto"]);
    assert_eq!(contents(&mut ana, valid(1_100_000_000)).await, ["Ana lives in Lisbon"]);
    let important = pb::MemoryFilter { min_importance: 4, any_time: true, ..Default::default() };
    assert_eq!(contents(&mut ana, important).await, ["Ana lives in Porto"]);
    let doubtful = pb::MemoryFilter { below_confidence: 0.31, ..Default::default() };
    assert_eq!(contents(&mut ana, doubtful).await, ["Ana may like tea"]);
    let certain = pb::MemoryFilter { min_confidence: 0.9, ..Default::default() };
    assert_eq!(contents(&mut ana, certain.clone()).await, ["Ana lives in Lisbon"], "currently valid records");
    let ever = pb::MemoryFilter { any_time: true, ..certain };
    assert_eq!(contents(&mut ana, ever).await, ["Ana lives in Lisbon", "Ana lives in Porto"]);
}

#[tokio::test]
async fn a_verification_takes_a_quarter_of_the_doubt_once_per_request_and_is_audited() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let belief = of_kind("Small releases break less", Kind::Belief, None);
    let correction = pb::SourceType::Correction.into();
    let belief = pb::MemoryDraft { confidence: Some(0.2), source_type: correction, ..belief };
    let written = ana.remember_draft(belief).await;
    let first = verified(&mut ana, &written.id, "v1").await;
    assert!((first.confidence - 0.4).abs() < 1e-12 && first.verification_count == 1, "{first:?}");
    assert_eq!(verified(&mut ana, &written.id, "v1").await, first, "the same request once more");
    let memory = ana.memory(&written.id).await;
    assert_eq!((memory.verification_count, memory.etag), (1, first.receipt.expect("a receipt").etag));
    assert_eq!((memory.confidence_history.len(), memory.last_verified_at.is_some()), (2, true));
    let stale =
        pb::VerifyMemoryRequest { user_id: ana.id(), id: written.id.clone(), etag: written.etag, ..Default::default() };
    let refused = ana.clients.records.verify_memory(stale).await.expect_err("a stale etag");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Aborted, "ETAG_MISMATCH"));
    let request =
        pb::ListAuditEntriesRequest { user_id: ana.id(), action: "memory.verify".to_owned(), ..Default::default() };
    let audit = ana.clients.audit.list_audit_entries(request).await.expect("an audit").into_inner();
    assert_eq!(audit.entries.iter().map(|entry| entry.subject.as_str()).collect::<Vec<_>>(), [written.id.as_str()]);
    ana.forget(&written.id).await;
    let gone = pb::VerifyMemoryRequest { user_id: ana.id(), id: written.id, ..Default::default() };
    let refused = ana.clients.records.verify_memory(gone).await.expect_err("it is forgotten");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "WRONG_STATE"));
}

#[tokio::test]
async fn uncertain_memories_are_listed_from_the_least_certain_on() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let correction = pb::SourceType::Correction.into();
    let believed = |content: &str, confidence| pb::MemoryDraft {
        confidence: Some(confidence),
        source_type: correction,
        ..draft(content)
    };
    ana.remember_all(vec![
        believed("half", 0.5),
        believed("little", 0.125),
        believed("nothing", 0.0),
        believed("some", 0.375),
    ])
    .await;
    let mut records = ana.clients.records.clone();
    let mut uncertain = async |threshold, limit| {
        let request = pb::ListUncertainRequest { user_id: "ana".to_owned(), threshold, limit, ..Default::default() };
        let answer = records.list_uncertain(request).await.expect("a list").into_inner();
        answer.memories.into_iter().map(|memory| memory.content).collect::<Vec<_>>()
    };
    assert_eq!(uncertain(None, 0).await, ["nothing", "little", "some"]);
    assert_eq!(uncertain(Some(0.6), 0).await, ["nothing", "little", "some", "half"]);
    assert_eq!(uncertain(None, 2).await, ["nothing", "little"]);
}

#[tokio::test]
async fn playbooks_are_found_by_their_situation_and_the_better_one_comes_first_among_equals() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let slow = "the API answers slowly";
    let one = ana.remember_draft(playbook("Restart the API", slow, &["restart it"])).await;
    let other = ana.remember_draft(playbook("Restart the API", slow, &["restart it"])).await;
    ana.remember_draft(playbook("Bake bread", "guests come for dinner", &["knead the dough"])).await;
    ana.remember("The API answers slowly on Mondays").await;
    let situation = "what to do when the API answers slowly?";
    let titles: Vec<String> = found(&mut ana, situation).await.into_iter().map(|memory| memory.content).collect();
    assert_eq!(titles.first().map(String::as_str), Some("Restart the API"));
    assert!(titles.iter().all(|title| !title.contains("Mondays")), "playbooks alone: {titles:?}");
    for n in 0..3 {
        let repeated = format!("use {n}");
        let first = used(&mut ana, &one.id, true, &repeated).await;
        assert_eq!(used(&mut ana, &one.id, true, &repeated).await, first, "the same request once more");
        used(&mut ana, &other.id, false, "").await;
    }
    assert_eq!(best(&mut ana, situation).await, one.id, "three of three uses went well, and none of three");
    for _ in 0..20 {
        used(&mut ana, &other.id, true, "").await;
        used(&mut ana, &one.id, false, "").await;
    }
    assert_eq!(best(&mut ana, situation).await, other.id, "most went well, and most did not");
    let counted = used(&mut ana, &one.id, true, "").await;
    assert_eq!((counted.used, counted.succeeded), (24, 4));
}

#[tokio::test]
async fn meetings_are_counted_and_move_trust_a_quarter_of_the_way() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let chen = ana.remember_draft(relationship("Chen", 0.5)).await;
    let plain = ana.remember("Lunch with Chen").await;
    let met = |id: &str, trust, sentiment| pb::RecordInteractionRequest {
        user_id: "ana".to_owned(),
        id: id.to_owned(),
        trust,
        sentiment,
        request_id: String::new(),
    };
    let mut records = ana.clients.records.clone();
    let first = records.record_interaction(met(&chen.id, Some(1.0), Some(-1.0))).await.expect("counted").into_inner();
    assert_eq!((first.interactions, first.trust, first.sentiment), (1, 0.625, -0.25));
    let second = records.record_interaction(met(&chen.id, None, None)).await.expect("counted").into_inner();
    assert_eq!((second.interactions, second.trust, second.sentiment), (2, 0.625, -0.25));
    let refused = records.record_interaction(met(&plain.id, None, None)).await.expect_err("no relationship");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "WRONG_STATE"));
    let use_of = pb::RecordPlaybookUseRequest { user_id: ana.id(), id: plain.id, ..Default::default() };
    let refused = records.record_playbook_use(use_of).await.expect_err("no playbook");
    assert!(refused.message().contains("not a playbook"), "{refused:?}");
}
