//! Meditation draws conclusions, which are valid exactly as long as all their premises are.

use kimberly_proto::v1::{self as pb, DecisionAction, DecisionReason, Kind, MemoryState, Relation, Resolution};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User};

const STEPS: &[&str] = &["entities", "link", "reason"];
const WORKS: &str = "Ana works at Acme Corp.";
const BASED: &str = "Acme Corp is based in Porto.";
const FOLLOWS: &str = "Ana works in Porto.";

/// The planned decisions of the reasoning step.
async fn plan(ana: &mut User) -> Vec<pb::Decision> {
    ana.plan_of(STEPS).await.into_iter().filter(|one| one.step == "reason").collect()
}

async fn insights(ana: &mut User, any_time: bool) -> Vec<pb::Memory> {
    ana.list(pb::MemoryFilter { kinds: vec![Kind::Insight.into()], any_time, ..Default::default() }).await
}

async fn texts(ana: &mut User) -> Vec<String> {
    insights(ana, false).await.into_iter().map(|memory| memory.content).collect()
}

/// Stores two premises and lets a meditation draw the conclusion; returns the premises.
async fn concluded(ana: &mut User) -> [String; 2] {
    let works = ana.remember(WORKS).await.id;
    let based = ana.remember(BASED).await.id;
    ana.night_of(STEPS).await;
    assert_eq!(texts(ana).await, [FOLLOWS]);
    [works, based]
}

#[tokio::test]
async fn insights_are_planned_stored_with_their_premises_and_made_once() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let mut premises = [ana.remember(WORKS).await.id, ana.remember(BASED).await.id];
    premises.sort();
    let planned = plan(&mut ana).await;
    let [decision] = &planned[..] else { panic!("{planned:?}") };
    assert_eq!((decision.action(), decision.reason()), (DecisionAction::Conclude, DecisionReason::Follows));
    assert_eq!([decision.memory_id.clone(), decision.further_ids[0].clone()], premises);
    let why = "deduced by works_in from 2 memories, with confidence 0.80";
    assert_eq!(decision.explanation, why);
    assert!(texts(&mut ana).await.is_empty(), "a plan changes nothing");
    let run = ana.night_of(STEPS).await.meditation.expect("a run").id;
    let found = insights(&mut ana, false).await;
    let [insight] = &found[..] else { panic!("{found:?}") };
    assert_eq!((insight.content.as_str(), insight.subject.as_str()), (FOLLOWS, "Ana"));
    assert_eq!(insight.confidence.map(f64::to_bits), Some(0.80_f64.to_bits()));
    assert_eq!(insight.source_ref, format!("night/{run}"));
    let Some(pb::detail::Kind::Insight(detail)) = insight.detail.clone().and_then(|detail| detail.kind) else {
        panic!("{insight:?}")
    };
    assert_eq!(detail.premises, premises);
    let request = pb::ListLinksRequest { user_id: ana.id(), id: insight.id.clone(), ..Default::default() };
    let links = ana.clients.links.list_links(request).await.expect("links").into_inner().links;
    let mut rests_on: Vec<String> = links.iter().map(|link| link.to_id.clone()).collect();
    rests_on.sort();
    assert_eq!(rests_on, premises);
    assert!(links.iter().all(|link| link.relation() == Relation::DerivedFrom), "{links:?}");
    assert!(plan(&mut ana).await.is_empty(), "a second night makes nothing");
    ana.night_of(STEPS).await;
    assert_eq!(insights(&mut ana, true).await.len(), 1);
}

#[tokio::test]
async fn an_insight_ends_with_a_premise_and_comes_back_with_it() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let [works, based] = concluded(&mut ana).await;
    let request = pb::InvalidateMemoryRequest { user_id: ana.id(), id: based, ..Default::default() };
    ana.clients.records.invalidate_memory(request).await.expect("it ends");
    assert!(texts(&mut ana).await.is_empty(), "at once");
    ana.night_of(STEPS).await;
    assert!(texts(&mut ana).await.is_empty(), "nothing follows from one");
    ana.remember(BASED).await;
    ana.night_of(STEPS).await;
    assert_eq!(texts(&mut ana).await, [FOLLOWS], "what fell may be concluded again");
    let content = "Ana works at Zentra Inc.".to_owned();
    let request = pb::CorrectMemoryRequest { user_id: ana.id(), id: works, content, ..Default::default() };
    ana.clients.records.correct_memory(request).await.expect("it is corrected");
    assert!(texts(&mut ana).await.is_empty(), "with what was superseded");
}

#[tokio::test]
async fn an_insight_holds_again_where_the_end_of_a_premise_is_taken_back() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let [_, based] = concluded(&mut ana).await;
    let other = ana.remember("The company moved away long ago.").await.id;
    let link = pb::MemoryLink {
        from_id: other.clone(),
        relation: Relation::Contradicts.into(),
        to_id: based.clone(),
        ..Default::default()
    };
    let request = pb::LinkRequest { user_id: ana.id(), link: Some(link), ..Default::default() };
    ana.clients.links.link(request).await.expect("a link");
    for (how, expected) in [(Resolution::KeepFrom, &[][..]), (Resolution::KeepBoth, &[FOLLOWS.to_owned()])] {
        let request = pb::ResolveContradictionRequest {
            user_id: ana.id(),
            from_id: other.clone(),
            to_id: based.clone(),
            resolution: how.into(),
            ..Default::default()
        };
        ana.clients.links.resolve_contradiction(request).await.expect("a resolution");
        assert_eq!(texts(&mut ana).await, expected, "{how:?}");
    }
    let request = pb::InvalidateMemoryRequest { user_id: ana.id(), id: based, ..Default::default() };
    ana.clients.records.invalidate_memory(request).await.expect("it ends");
    assert!(texts(&mut ana).await.is_empty(), "and ends with it again");
}

#[tokio::test]
async fn what_a_premise_said_goes_with_it_from_insights() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let [works, based] = concluded(&mut ana).await;
    ana.forget_now(&[&works]).await;
    let states = [MemoryState::Active, MemoryState::Archived, MemoryState::Deleted].map(i32::from).into();
    let every = pb::MemoryFilter { states, any_time: true, ..Default::default() };
    let left: Vec<String> = ana.list(every).await.into_iter().map(|memory| memory.id).collect();
    assert_eq!(left, [based], "not even a part of it is left");
}

#[tokio::test]
async fn an_insight_goes_where_a_premise_moves_to_another_tier() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let [works, _] = concluded(&mut ana).await;
    let request = pb::UpdateMemoryRequest {
        user_id: ana.id(),
        id: works,
        memory: Some(pb::MemoryDraft { tier: pb::Tier::Permanent.into(), ..Default::default() }),
        update_mask: Some(prost_types::FieldMask { paths: vec!["tier".to_owned()] }),
        ..Default::default()
    };
    ana.clients.memories.update_memory(request).await.expect("it moves");
    assert!(insights(&mut ana, true).await.is_empty(), "who reaches the one tier may not reach the other");
    ana.night_of(STEPS).await;
    assert!(texts(&mut ana).await.is_empty());
}

#[tokio::test]
async fn what_is_sensitive_or_belongs_elsewhere_concludes_nothing() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    ana.remember(WORKS).await;
    let elsewhere = pb::MemoryDraft { namespace: "work".to_owned(), ..draft(BASED) };
    ana.remember_draft(elsewhere).await;
    ana.consent().await;
    let mut secret = draft(BASED);
    secret.metadata = Some(pb::Metadata { sensitive: true, ..Default::default() });
    ana.remember_draft(secret).await;
    assert!(plan(&mut ana).await.is_empty());
    ana.night_of(STEPS).await;
    assert!(insights(&mut ana, true).await.is_empty());
}

#[tokio::test]
async fn what_a_person_takes_back_is_not_concluded_again() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    concluded(&mut ana).await;
    let id = insights(&mut ana, false).await.remove(0).id;
    let request = pb::InvalidateMemoryRequest { user_id: ana.id(), id, ..Default::default() };
    ana.clients.records.invalidate_memory(request).await.expect("it is taken back");
    assert!(plan(&mut ana).await.is_empty());
    ana.night_of(STEPS).await;
    assert!(texts(&mut ana).await.is_empty());
}

#[tokio::test]
async fn an_insight_answers_where_it_tells_more_and_gives_way_to_its_premises() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    concluded(&mut ana).await;
    let found = ana.recalled("Who works in Porto, and where is Acme Corp based?").await;
    assert!(found.contains(&WORKS.to_owned()) && found.contains(&BASED.to_owned()), "{found:?}");
    assert!(!found.contains(&FOLLOWS.to_owned()), "{found:?}");
    let request = pb::QueryMemoriesRequest {
        user_id: ana.id(),
        query: "Who works in Porto?".to_owned(),
        filter: Some(pb::MemoryFilter { kinds: vec![Kind::Insight.into()], ..Default::default() }),
        ..Default::default()
    };
    let answer = ana.clients.memories.query_memories(request).await.expect("an answer").into_inner();
    assert_eq!(answer.results.len(), 1);
}

#[tokio::test]
async fn an_insight_says_what_it_was_made_of_as_long_as_it_is_there() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let [works, _] = concluded(&mut ana).await;
    let insight = insights(&mut ana, false).await.remove(0).id;
    for field in ["source_ref", "source_type"] {
        let request = pb::UpdateMemoryRequest {
            user_id: ana.id(),
            id: insight.clone(),
            memory: Some(pb::MemoryDraft::default()),
            update_mask: Some(prost_types::FieldMask { paths: vec![field.to_owned()] }),
            ..Default::default()
        };
        ana.clients.memories.update_memory(request).await.expect_err(field);
    }
    ana.forget_now(&[&works]).await;
    assert!(insights(&mut ana, true).await.is_empty());
}

#[tokio::test]
async fn an_insight_that_a_person_wrote_over_is_stale_where_another_goes_until_a_premise_is_forgotten() {
    let system = System::start().await;
    for deleted in [false, true] {
        let mut ana = system.user(if deleted { "deleting" } else { "editing" });
        let [works, based] = concluded(&mut ana).await;
        let id = insights(&mut ana, false).await.remove(0).id;
        let own = "Ana works in Porto, by the river.";
        ana.write_over(&id, own).await;
        assert!(plan(&mut ana).await.is_empty(), "what it rests on is not concluded from again");
        if deleted {
            ana.forget(&works).await;
        } else {
            ana.write_over(&works, "Ana works at Zentra Inc.").await;
        }
        let after = ana.memory(&id).await;
        assert_eq!(after.content, own);
        assert!(after.stale_since.is_some(), "{after:?}");
        ana.forget_now(&[&based]).await;
        assert!(insights(&mut ana, true).await.is_empty(), "with the words of what is forgotten");
    }
}
