//! Meditation describes entities about whom enough is known. The profile depends on its source memories, and changes
//! and ends with them.

use kimberly_proto::v1::{self as pb, DecisionAction, DecisionReason};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User};

const STEPS: &[&str] = &["entities", "link", "profiles"];
const FACTS: [&str; 5] = [
    "Ana works at Acme Corp.",
    "Ana lives in Porto.",
    "Ana likes green tea.",
    "Ana plays the cello.",
    "Ana speaks four languages.",
];
const PROFILE: &str =
    "Ana works at Acme Corp, lives in Porto and likes green tea. Ana plays the cello. Ana speaks four languages.";

async fn plan(ana: &mut User) -> Vec<pb::Decision> {
    ana.plan_of(STEPS).await.into_iter().filter(|one| one.step == "profiles").collect()
}

/// The profile of the entity named Ana.
async fn profile(ana: &mut User) -> Option<pb::Memory> {
    let request = pb::ListEntitiesRequest { user_id: ana.id(), ..Default::default() };
    let entities = ana.clients.graph.list_entities(request).await.expect("entities").into_inner().entities;
    let id = entities.into_iter().find(|entity| entity.name == "Ana")?.id;
    let request = pb::GetEntityRequest { user_id: ana.id(), id, ..Default::default() };
    ana.clients.graph.get_entity(request).await.expect("an entity").into_inner().profile
}

async fn told(ana: &mut User, facts: &[&str]) -> Vec<String> {
    let facts = facts.iter().map(|fact| draft(fact)).collect();
    ana.remember_all(facts).await.into_iter().map(|receipt| receipt.id).collect()
}

async fn invalidate(ana: &mut User, id: &str) {
    let request = pb::InvalidateMemoryRequest { user_id: ana.id(), id: id.to_owned(), ..Default::default() };
    ana.clients.records.invalidate_memory(request).await.expect("it ends");
}

#[tokio::test]
async fn five_facts_make_a_profile_that_rests_on_them_and_is_written_once() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let mut ids = told(&mut ana, &FACTS[..4]).await;
    assert!(plan(&mut ana).await.is_empty(), "four are too few");
    ids.extend(told(&mut ana, &FACTS[4..]).await);
    let planned = plan(&mut ana).await;
    assert_eq!((planned.len(), planned[0].further_ids.len()), (1, 4), "{planned:?}");
    assert_eq!((planned[0].action(), planned[0].reason()), (DecisionAction::Describe, DecisionReason::Told));
    ana.night_of(STEPS).await;
    let found = profile(&mut ana).await.expect("a profile");
    assert_eq!((found.content.as_str(), found.name.as_str()), (PROFILE, "profiles/Ana"));
    let request = pb::ListLinksRequest { user_id: ana.id(), id: found.id, ..Default::default() };
    let links = ana.clients.links.list_links(request).await.expect("links").into_inner().links;
    let mut rests_on: Vec<String> = links.into_iter().map(|link| link.to_id).collect();
    rests_on.sort();
    ids.sort();
    assert_eq!(rests_on, ids);
    assert!(plan(&mut ana).await.is_empty(), "a second night writes nothing");
}

#[tokio::test]
async fn a_profile_changes_with_its_facts_and_ends_with_them() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let ids = told(&mut ana, &FACTS).await;
    ana.night_of(STEPS).await;
    let before = profile(&mut ana).await.expect("a profile");
    told(&mut ana, &["Ana teaches children."]).await;
    ana.night_of(STEPS).await;
    let after = profile(&mut ana).await.expect("a profile");
    assert_eq!((after.id.as_str(), after.etag.as_str()), (before.id.as_str(), "2"), "another version of it");
    assert_eq!(after.content, format!("{PROFILE} Ana teaches children."));
    for id in &ids[3..] {
        invalidate(&mut ana, id).await;
    }
    ana.night_of(STEPS).await;
    assert_eq!(profile(&mut ana).await, None, "four are left");
    told(&mut ana, &FACTS[3..4]).await;
    ana.night_of(STEPS).await;
    let again = profile(&mut ana).await.expect("a profile");
    assert_eq!(again.id, before.id);
    assert!(!again.content.contains("languages"), "{}", again.content);
}

#[tokio::test]
async fn what_is_forgotten_or_sensitive_is_in_no_profile() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let ids = told(&mut ana, &FACTS).await;
    ana.consent().await;
    let mut secret = draft("Ana takes pills.");
    secret.metadata = Some(pb::Metadata { sensitive: true, ..Default::default() });
    ana.remember_draft(secret).await;
    told(&mut ana, &["Ana teaches children."]).await;
    ana.night_of(STEPS).await;
    let before = profile(&mut ana).await.expect("a profile");
    assert!(!before.content.contains("pills"), "{}", before.content);
    ana.forget_now(&[&ids[4]]).await;
    assert_eq!(profile(&mut ana).await, None, "at once, with all versions");
    ana.night_of(STEPS).await;
    let after = profile(&mut ana).await.expect("a profile");
    assert!(!after.content.contains("languages") && after.id != before.id, "{}", after.content);
}

#[tokio::test]
async fn no_version_of_a_profile_outlives_what_it_rested_on() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let ids = told(&mut ana, &FACTS).await;
    told(&mut ana, &["Ana teaches children."]).await;
    ana.night_of(STEPS).await;
    invalidate(&mut ana, &ids[4]).await;
    ana.night_of(STEPS).await;
    let after = profile(&mut ana).await.expect("a profile");
    assert!(!after.content.contains("languages"), "{}", after.content);
    ana.forget_now(&[&ids[4]]).await;
    assert_eq!(profile(&mut ana).await.map(|found| found.content), Some(after.content), "it does not rest on that");
    assert_eq!(versions(&mut ana, &after.name).await, 0, "one would tell what was forgotten");
}

async fn versions(ana: &mut User, name: &str) -> usize {
    let request = pb::ListVersionsRequest { user_id: ana.id(), name: name.to_owned(), ..Default::default() };
    ana.clients.named.list_versions(request).await.expect("versions").into_inner().versions.len()
}

#[tokio::test]
async fn no_version_of_a_profile_that_a_person_wrote_over_tells_what_a_premise_was() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let ids = told(&mut ana, &FACTS).await;
    ana.night_of(STEPS).await;
    let written = profile(&mut ana).await.expect("a profile");
    ana.write_over(&written.id, "Ana is herself.").await;
    assert_eq!(versions(&mut ana, &written.name).await, 1, "what the night wrote");
    ana.write_over(&ids[4], "Ana speaks.").await;
    let after = ana.memory(&written.id).await;
    assert_eq!((after.content.as_str(), after.stale_since.is_some()), ("Ana is herself.", true));
    assert_eq!(versions(&mut ana, &written.name).await, 0, "one would tell of four languages");
}

#[tokio::test]
async fn a_record_with_the_name_of_a_profile_is_left_alone() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let own = pb::MemoryDraft { name: "profiles/Ana".to_owned(), ..draft("Mine.") };
    let id = ana.remember_draft(own).await.id;
    told(&mut ana, &FACTS).await;
    ana.night_of(STEPS).await;
    assert_eq!(ana.memory(&id).await.content, "Mine.");
    assert_eq!(profile(&mut ana).await, None);
}

#[tokio::test]
async fn what_a_person_decides_about_a_profile_stays() {
    let system = System::start().await;
    for (decision, expected) in [("ended", None), ("deleted", None), ("written over", Some("Ana is herself."))] {
        let mut ana = system.user(&decision.replace(' ', "-"));
        told(&mut ana, &FACTS).await;
        ana.night_of(STEPS).await;
        let id = profile(&mut ana).await.expect("a profile").id;
        match decision {
            "ended" => invalidate(&mut ana, &id).await,
            "deleted" => _ = ana.forget(&id).await,
            _ => ana.write_over(&id, "Ana is herself.").await,
        }
        told(&mut ana, &["Ana teaches children."]).await;
        assert!(plan(&mut ana).await.is_empty(), "{decision}");
        ana.night_of(STEPS).await;
        let found = profile(&mut ana).await;
        assert_eq!(found.as_ref().map(|found| found.content.as_str()), expected, "{decision}");
    }
}
