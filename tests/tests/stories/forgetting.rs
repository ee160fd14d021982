//! Memories not recalled for long are archived, and can be restored; lasting memories are not archived.

use kimberly_proto::v1::{self as pb, Kind, MemoryState};
use kimberly_tests::drafts::draft;
use kimberly_tests::kinds::of_kind;
use kimberly_tests::{System, User, reason};
use tonic::Code;

/// Stores a memory and backdates it by a hundred days.
pub(super) async fn long_ago(ana: &mut User, memory: pb::MemoryDraft) -> String {
    let id = ana.remember_draft(memory).await.id;
    ana.move_back(&id, 100).await;
    id
}

async fn candidates(ana: &mut User) -> Vec<String> {
    let request = pb::ListForgettingCandidatesRequest { user_id: ana.id(), ..Default::default() };
    let answer = ana.clients.records.list_forgetting_candidates(request).await.expect("a list").into_inner();
    answer.candidates.into_iter().filter_map(|one| Some(one.memory?.id)).collect()
}

async fn run(ana: &mut User, dry_run: bool) -> pb::RunForgettingResponse {
    let request_id = if dry_run { String::new() } else { "once".to_owned() };
    let request = pb::RunForgettingRequest { user_id: ana.id(), dry_run, request_id, ..Default::default() };
    ana.clients.records.run_forgetting(request).await.expect("a run").into_inner()
}

#[tokio::test]
async fn what_is_hardly_present_any_more_is_forgotten_and_recovered() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let old = long_ago(&mut ana, draft("The old tickets were blue")).await;
    let value = long_ago(&mut ana, of_kind("Be honest", Kind::Value, None)).await;
    let kept = long_ago(&mut ana, pb::MemoryDraft { protected: true, ..draft("Keep this") }).await;
    ana.remember("The new tickets are red").await;
    assert_eq!(candidates(&mut ana).await, [old.as_str()]);

    let shown = run(&mut ana, true).await;
    assert_eq!((shown.forgotten.len(), shown.dry_run), (1, true));
    assert_eq!(ana.list(pb::MemoryFilter::default()).await.len(), 4, "nothing was changed");
    let ran = run(&mut ana, false).await;
    assert_eq!((&ran.forgotten, ran.dry_run), (&shown.forgotten, false));
    assert_eq!(run(&mut ana, false).await, ran, "a replay is answered as the first");
    assert_eq!(ana.recalled("blue tickets").await, ["The new tickets are red"]);
    let explained = ana.explain(&old).await;
    let decision = explained.decisions.first().expect("a decision");
    assert_eq!(decision.reason(), pb::DecisionReason::LowSalience);
    assert_eq!(decision.explanation, "its salience 0.000 is below 0.300");
    assert!(candidates(&mut ana).await.is_empty());

    assert_eq!(ana.restore(&old).await.state(), MemoryState::Active);
    assert!(candidates(&mut ana).await.is_empty(), "what was brought back stays for a half-life");
    for (id, lasts) in [(&old, false), (&value, true), (&kept, true)] {
        let salience = ana.explain(id).await.salience.expect("its salience");
        assert_eq!((salience.lasts, salience.half_life_days.to_bits()), (lasts, 30_f64.to_bits()));
        assert_eq!(salience.days_since_access.to_bits() == 0, lasts, "{salience:?}");
    }
}

#[tokio::test]
async fn half_of_a_tier_may_be_protected_and_the_refusal_says_what_to_do() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let quota = pb::UserSettings { long_term_quota_bytes: Some(4 * 1024), ..Default::default() };
    ana.set(quota, &["long_term_quota_bytes"]).await;
    let kept = |memory: pb::MemoryDraft| pb::MemoryDraft { protected: true, ..memory };
    ana.remember_draft(kept(draft(&"kept ".repeat(300)))).await;
    let plain = ana.remember(&"plain ".repeat(100)).await.id;
    let memory = Some(kept(draft(&"more ".repeat(150))));
    let create = pb::CreateMemoryRequest { user_id: ana.id(), memory, ..Default::default() };
    let refused = ana.clients.memories.create_memory(create).await.expect_err("too much");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "QUOTA_EXCEEDED"));
    assert!(refused.message().contains("half the ") && refused.message().contains("raise the quota to"));
    let protect = pb::UpdateMemoryRequest {
        user_id: ana.id(),
        id: plain.clone(),
        memory: Some(kept(pb::MemoryDraft::default())),
        update_mask: Some(prost_types::FieldMask { paths: vec!["protected".to_owned()] }),
        ..Default::default()
    };
    let refused = ana.clients.memories.update_memory(protect.clone()).await.expect_err("too much");
    assert_eq!(refused.code(), Code::ResourceExhausted);
    let correct =
        pb::CorrectMemoryRequest { user_id: ana.id(), id: plain, content: "right ".repeat(100), ..Default::default() };
    ana.clients.records.correct_memory(correct).await.expect("a correction is never refused for that");
    let quota = pb::UserSettings { long_term_quota_bytes: Some(16 * 1024), ..Default::default() };
    ana.set(quota, &["long_term_quota_bytes"]).await;
    ana.clients.memories.update_memory(protect).await.expect("there is room now");
}
