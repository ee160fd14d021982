//! From capture to identity: captures are processed into records of higher layers, which are supported by them.

use kimberly_proto::v1::detail::Kind as Of;
use kimberly_proto::v1::{self as pb, Kind};
use kimberly_tests::drafts::draft;
use kimberly_tests::kinds::of_kind;
use kimberly_tests::{System, User, reason};

fn promotion(ana: &User, ids: &[&str], memory: pb::MemoryDraft) -> pb::PromoteMemoriesRequest {
    let ids = ids.iter().map(|id| (*id).to_owned()).collect();
    pb::PromoteMemoriesRequest { user_id: ana.id(), ids, memory: Some(memory), ..Default::default() }
}

async fn promoted(ana: &mut User, ids: &[&str], memory: pb::MemoryDraft) -> String {
    let request = promotion(ana, ids, memory);
    let answer = ana.clients.records.promote_memories(request).await.expect("a promotion").into_inner();
    answer.receipt.expect("a receipt").id
}

async fn unprocessed(ana: &mut User) -> Vec<String> {
    let request = pb::ListUnprocessedRequest { user_id: ana.id(), ..Default::default() };
    let answer = ana.clients.records.list_unprocessed(request).await.expect("a list").into_inner();
    answer.memories.into_iter().map(|memory| memory.content).collect()
}

async fn identity(ana: &mut User) -> pb::GetIdentityResponse {
    let request = pb::GetIdentityRequest { user_id: ana.id(), namespace: String::new() };
    ana.clients.records.get_identity(request).await.expect("an identity").into_inner()
}

#[tokio::test]
async fn captures_become_an_episode_a_belief_and_a_value_that_say_what_they_rest_on() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let slow = ana.remember_draft(of_kind("The API is slow", Kind::Raw, None)).await.id;
    let noon = ana.remember_draft(of_kind("It is noon", Kind::Raw, None)).await.id;
    ana.remember_draft(of_kind("Tea is out", Kind::Raw, None)).await;
    ana.remember("An ordinary memory").await;
    assert_eq!(unprocessed(&mut ana).await, ["The API is slow", "It is noon", "Tea is out"]);
    let request = pb::PromoteMemoriesRequest {
        reason: "seen twice".to_owned(),
        request_id: "once".to_owned(),
        ..promotion(&ana, &[&slow, &noon], of_kind("The API was slow at noon", Kind::Episode, None))
    };
    let mut made = Vec::new();
    for _ in 0..2 {
        let answer = ana.clients.records.promote_memories(request.clone()).await.expect("a promotion").into_inner();
        made.push(answer.receipt.expect("a receipt"));
    }
    assert_eq!(made[0], made[1], "a replay is answered as the first");
    assert_eq!(unprocessed(&mut ana).await, ["Tea is out"]);
    let episode = made[0].id.clone();
    assert_eq!(ana.memory(&episode).await.source_type(), pb::SourceType::Consolidation);
    let belief = promoted(&mut ana, &[&episode], of_kind("Noon is busy", Kind::Belief, None)).await;
    let value = Some(Of::Value(pb::ValueDetail { priority: 80 }));
    let value = promoted(&mut ana, &[&belief], of_kind("Plan for noon", Kind::Value, value)).await;
    let lineage = pb::LineageRequest { user_id: ana.id(), id: value, ..Default::default() };
    let lineage = ana.clients.links.lineage(lineage).await.expect("a lineage").into_inner();
    let ends: Vec<_> = lineage.steps.iter().filter_map(|step| Some(step.link.as_ref()?.to_id.as_str())).collect();
    assert_eq!(ends.len(), 4);
    assert!(ends[0] == belief && ends[1] == episode && ends[2..].contains(&slow.as_str()), "{ends:?}");
    ana.forget(&episode).await;
    assert_eq!(
        unprocessed(&mut ana).await,
        ["The API is slow", "It is noon", "Tea is out"],
        "the processing was undone"
    );
}

#[tokio::test]
async fn what_is_of_no_higher_layer_or_belongs_elsewhere_is_refused_and_nothing_is_stored() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let episode = ana.remember_draft(of_kind("We met", Kind::Episode, None)).await.id;
    let work = pb::MemoryDraft { namespace: "work".to_owned(), ..of_kind("We met again", Kind::Episode, None) };
    let work = ana.remember_draft(work).await.id;
    let belief = of_kind("We meet often", Kind::Belief, None);
    let mut refused = async |ids: &[&str], memory: pb::MemoryDraft| {
        let request = promotion(&ana, ids, memory);
        reason(&ana.clients.records.promote_memories(request).await.expect_err("a refusal"))
    };
    assert_eq!(refused(&[&episode], of_kind("We met", Kind::Raw, None)).await, "WRONG_STATE");
    assert_eq!(refused(&[&episode], draft("We met")).await, "WRONG_STATE");
    assert_eq!(refused(&[&episode, &work], belief.clone()).await, "WRONG_STATE");
    let elsewhere = pb::MemoryDraft { namespace: "home".to_owned(), ..belief.clone() };
    assert_eq!(refused(&[&work], elsewhere).await, "WRONG_STATE");
    assert_eq!(refused(&[], belief.clone()).await, "INVALID_FIELD");
    assert_eq!(ana.list(pb::MemoryFilter::default()).await.len(), 2);
    let made = promoted(&mut ana, &[&work], belief).await;
    assert_eq!(ana.memory(&made).await.namespace, "work");
}

#[tokio::test]
async fn an_identity_is_ordered_by_authority_and_reads_the_same_until_it_changes() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    for (content, priority) in [("Be brief", 20), ("Be honest", 90)] {
        let value = Some(Of::Value(pb::ValueDetail { priority }));
        ana.remember_draft(of_kind(content, Kind::Value, value)).await;
    }
    let drive = Some(Of::Drive(pb::DriveDetail { intensity: 0.5, focus: vec!["ships".to_owned()] }));
    ana.remember_draft(of_kind("I want to learn", Kind::Drive, drive)).await;
    let weak = ana.remember_draft(of_kind("Mondays are slow", Kind::Belief, None)).await.id;
    let episode = ana.remember_draft(of_kind("We released on Friday", Kind::Episode, None)).await.id;
    promoted(&mut ana, &[&episode], of_kind("Small releases\n# break less", Kind::Belief, None)).await;
    let first = identity(&mut ana).await;
    let contents = |list: &[pb::Memory]| list.iter().map(|memory| memory.content.clone()).collect::<Vec<_>>();
    assert_eq!(contents(&first.values), ["Be honest", "Be brief"]);
    assert_eq!(contents(&first.drives), ["I want to learn"]);
    let supports: Vec<f64> = first.beliefs.iter().map(|belief| belief.support).collect();
    // Consolidated .8 with one source, stated by a user .95 with none.
    assert!((supports[0] - 1.6).abs() < 1e-9 && (supports[1] - 0.95).abs() < 1e-9, "{supports:?}");
    assert!(
        first.document.contains("\n- Small releases # break less (confidence 0.80, support 1.60)\n"),
        "{}",
        first.document
    );
    assert_eq!(identity(&mut ana).await.document, first.document);
    let invalid = pb::InvalidateMemoryRequest { user_id: ana.id(), id: weak, ..Default::default() };
    ana.clients.records.invalidate_memory(invalid).await.expect("it holds no longer");
    assert_eq!(identity(&mut ana).await.beliefs.len(), 1);
}
