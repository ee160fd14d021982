//! Unused memories cool at night, lose their place in recall, and regain it when they are used.

use kimberly_proto::v1::{self as pb, DecisionAction, DecisionReason, Temperature};
use kimberly_tests::drafts::{draft, tagged};
use kimberly_tests::{System, User, eventually};

use super::forgetting::long_ago;

const TEMPER: &[&str] = &["temper"];
const OLD: &str = "The ferry to the island leaves early";
const NEW: &str = "The ferry to the island leaves early again";

/// The best result by words alone, of a query for one result.
async fn best(ana: &mut User, cold: bool) -> String {
    let stages = [("cold", cold), ("weigh", false), ("form", false)];
    let request = pb::QueryMemoriesRequest {
        user_id: ana.id(),
        query: "ferry island".to_owned(),
        top_k: 1,
        stages: stages.map(|(stage, on)| (stage.to_owned(), on)).into(),
        ..Default::default()
    };
    let answer = ana.clients.memories.query_memories(request).await.expect("an answer").into_inner();
    answer.results.into_iter().filter_map(|one| one.memory).map(|memory| memory.content).collect()
}

/// Creates an old memory recorded as cold, and a new one with nearly the same content; returns the old one's id.
async fn cooled(ana: &mut User) -> String {
    let old = long_ago(ana, draft(OLD)).await;
    ana.remember(NEW).await;
    let noted = ana.night_of(TEMPER).await.decisions;
    assert!(noted.iter().any(|one| one.memory_id == old && one.reason() == DecisionReason::Cooled), "{noted:?}");
    old
}

#[tokio::test]
async fn changes_of_temperature_are_shown_noted_once_and_say_why() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let old = long_ago(&mut ana, draft(OLD)).await;
    let tagged = long_ago(&mut ana, tagged("The old tickets were blue", &["travel"])).await;
    let new = ana.remember(NEW).await.id;
    let planned = ana.plan_of(TEMPER).await;
    let of = |id: &str| planned.iter().find(|one| one.memory_id == id);
    assert_eq!((planned.len(), of(&new)), (2, None), "what is new is hot");
    for (id, why) in
        [(&old, "cold by cold_and_disconnected: decay 0."), (&tagged, "warm by manual_tags_present: decay 0.")]
    {
        let decision = of(id).expect("a decision");
        assert_eq!((decision.action(), decision.reason()), (DecisionAction::Temper, DecisionReason::Cooled));
        assert!(decision.explanation.contains(why), "{}", decision.explanation);
    }
    let noted = ana.night_of(TEMPER).await.decisions;
    let explained = |all: &[pb::Decision]| all.iter().map(|one| one.explanation.clone()).collect::<Vec<_>>();
    assert_eq!(explained(&noted), explained(&planned));
    assert!(ana.plan_of(TEMPER).await.is_empty(), "a second night notes nothing");
    let warmth = ana.explain(&tagged).await.warmth.expect("how warm");
    assert_eq!((warmth.temperature(), warmth.reason.as_str()), (Temperature::Warm, "manual_tags_present"));
    let page = listed(&mut ana, true).await;
    let of = |id: &str| page.memories.iter().position(|memory| memory.id == id).map(|at| page.warmth[at].temperature());
    assert_eq!((of(&old), of(&new)), (Some(Temperature::Cold), Some(Temperature::Hot)), "a list says so, too");
    assert!(listed(&mut ana, false).await.warmth.is_empty(), "if asked for");
}

async fn listed(user: &mut User, warmth: bool) -> pb::ListMemoriesResponse {
    let request = pb::ListMemoriesRequest { user_id: user.id(), warmth, ..Default::default() };
    user.clients.memories.list_memories(request).await.expect("a list").into_inner()
}

#[tokio::test]
async fn cold_memories_rank_lower_until_they_are_used() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let old = cooled(&mut ana).await;
    assert_eq!(best(&mut ana, true).await, NEW, "it gives its place away, not only its rank");
    assert_eq!(best(&mut ana, false).await, OLD, "the stage can be turned off");
    let back = eventually("it was used", || {
        let (mut ana, old) = (system.user("ana"), old.clone());
        async move { ana.explain(&old).await.warmth.filter(|now| now.temperature() == Temperature::Hot) }
    });
    assert!(["low_decay", "recent_access"].contains(&back.await.reason.as_str()));
    assert_eq!(best(&mut ana, true).await, OLD, "use brings it back, before any night notes it");
}

#[tokio::test]
async fn nothing_is_cold_where_the_step_is_off() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let old = cooled(&mut ana).await;
    let off = pb::UserSettings { reading_enabled: Some(false), ..Default::default() };
    ana.set(off, &["reading_enabled"]).await;
    assert_eq!(best(&mut ana, true).await, OLD, "what was noted before counts no longer");
    assert_eq!(ana.explain(&old).await.warmth, None);
    assert!(listed(&mut ana, true).await.warmth.is_empty());
    long_ago(&mut ana, draft("The old tickets were blue")).await;
    assert!(ana.plan_of(TEMPER).await.is_empty(), "nothing cools");
}
