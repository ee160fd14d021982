//! Entities of memories: found by a meditation, listed, followed, corrected by a person, rebuilt, and removed with
//! forgotten memories.

use kimberly_proto::v1::{self as pb, EntityRelation, EntityType};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User, eventually, reason};
use tonic::Code;

/// A memory with a speaker.
fn said(speaker: &str, content: &str) -> pb::MemoryDraft {
    pb::MemoryDraft { speaker: speaker.to_owned(), ..draft(content) }
}

const TOLD: [(&str, &str); 4] = [
    ("Ana", "I work at Acme Corp and I live in Porto."),
    ("Ana", "My sister Clara Reis came over. Clara has a dog called Rex."),
    ("Ben", "Ana works with Dora Lind at Acme Corp."),
    ("Ben", "We met in Porto, wow."),
];

/// The steps that find entities.
const READING: &[&str] = &["entities", "link"];

async fn entities(user: &mut User) -> Vec<pb::Entity> {
    let request = pb::ListEntitiesRequest { user_id: user.id(), ..Default::default() };
    user.clients.graph.list_entities(request).await.expect("entities").into_inner().entities
}

async fn named(user: &mut User, name: &str) -> Option<pb::Entity> {
    entities(user).await.into_iter().find(|entity| entity.name == name)
}

async fn around(user: &mut User, name: &str, depth: i32) -> Vec<(String, EntityRelation)> {
    let id = named(user, name).await.expect("an entity").id;
    let request = pb::ListNeighboursRequest { user_id: user.id(), id, depth, ..Default::default() };
    let found = user.clients.graph.list_neighbours(request).await.expect("neighbours").into_inner().neighbours;
    let told = |one: pb::Neighbour| (one.entity.expect("it").name, one.edge.expect("an edge").relation());
    found.into_iter().map(told).collect()
}

async fn told(system: &System, id: &str) -> (User, Vec<pb::MemoryReceipt>) {
    let mut user = system.user(id);
    let receipts = user.remember_all(TOLD.map(|(who, what)| said(who, what)).to_vec()).await;
    user.night_of(READING).await;
    (user, receipts)
}

#[tokio::test]
async fn a_night_finds_whom_memories_are_about_and_what_they_are_to_each_other() {
    let system = System::start().await;
    let (mut ana, receipts) = told(&system, "ana").await;
    let all = entities(&mut ana).await;
    let kind = |name: &str| all.iter().find(|entity| entity.name == name).map(pb::Entity::r#type);
    assert_eq!(kind("Ana"), Some(EntityType::Person), "{all:?}");
    assert_eq!(kind("Acme Corp"), Some(EntityType::Organization));
    assert_eq!(kind("Porto"), Some(EntityType::Place));
    assert_eq!(kind("Wow"), None);
    let clara = all.iter().find(|entity| entity.aliases.iter().any(|alias| alias.starts_with("Clara"))).expect("Clara");
    assert_eq!((clara.mentions, clara.memories), (2, 1), "{clara:?}");

    let request = pb::GetEntityRequest { user_id: ana.id(), id: clara.id.clone(), limit: 1 };
    let shown = ana.clients.graph.get_entity(request).await.expect("Clara").into_inner();
    assert!(shown.truncated && shown.names.len() == 2, "{shown:?}");
    let mention = &shown.mentions[0];
    let span = usize::try_from(mention.start_byte).unwrap()..usize::try_from(mention.end_byte).unwrap();
    assert_eq!((mention.memory_id.as_str(), &TOLD[1].1[span]), (receipts[1].id.as_str(), mention.text.as_str()));

    let near = around(&mut ana, "Ana", 1).await;
    for expected in [("Acme Corp", EntityRelation::WorksAt), ("Porto", EntityRelation::LivesIn)] {
        assert!(near.contains(&(expected.0.to_owned(), expected.1)), "{near:?}");
    }
    assert!(near.iter().all(|(name, _)| name != "Rex"), "{near:?}");
    assert!(around(&mut ana, "Ana", 2).await.iter().any(|(name, _)| name == "Rex"));

    assert!(ana.plan_of(READING).await.is_empty(), "what was read is not read again");
    assert!(entities(&mut system.user("ben")).await.is_empty());
}

#[tokio::test]
async fn what_a_person_says_of_entities_holds_when_all_is_rebuilt_and_is_taken_back() {
    let system = System::start().await;
    let (mut ana, _) = told(&system, "ana").await;
    let (dora, ben) = (named(&mut ana, "Dora Lind").await.expect("Dora"), named(&mut ana, "Ben").await.expect("Ben"));
    let user_id = ana.id();
    let merge = |undo| pb::MergeEntitiesRequest {
        user_id: user_id.clone(),
        id: dora.id.clone(),
        other_id: ben.id.clone(),
        undo,
    };
    let rename = pb::RenameEntityRequest {
        user_id: user_id.clone(),
        id: dora.id.clone(),
        name: "D. Lind".to_owned(),
        undo: false,
    };
    let porto = named(&mut ana, "Porto").await.expect("Porto").id;
    let dismiss = |undo| pb::DismissEntityRequest { user_id: user_id.clone(), id: porto.clone(), undo };
    let before = entities(&mut ana).await;
    assert!(ana.clients.graph.merge_entities(merge(false)).await.expect("merged").into_inner().changed);
    assert!(!ana.clients.graph.merge_entities(merge(false)).await.expect("merged").into_inner().changed);
    ana.clients.graph.rename_entity(rename.clone()).await.expect("renamed");
    ana.clients.graph.dismiss_entity(dismiss(false)).await.expect("dismissed");
    let ruled = entities(&mut ana).await;
    assert_eq!(ruled.len(), before.len() - 2);
    assert!(ruled.iter().any(|entity| entity.name == "D. Lind" && entity.aliases.contains(&"Ben".to_owned())));

    let rebuild = pb::RebuildDerivedRequest { user_id: user_id.clone(), ..Default::default() };
    ana.clients.maintenance.rebuild_derived(rebuild).await.expect("rebuilt");
    let of = ana.clone();
    eventually("everything is read again", move || {
        let mut of = of.clone();
        async move { (entities(&mut of).await.len() > 2).then_some(()) }
    })
    .await;
    let names =
        |all: &[pb::Entity]| all.iter().map(|entity| (entity.id.clone(), entity.name.clone())).collect::<Vec<_>>();
    assert_eq!(names(&entities(&mut ana).await), names(&ruled));

    ana.clients.graph.merge_entities(merge(true)).await.expect("taken back");
    ana.clients.graph.rename_entity(pb::RenameEntityRequest { undo: true, ..rename }).await.expect("taken back");
    ana.clients.graph.dismiss_entity(dismiss(true)).await.expect("taken back");
    assert_eq!(names(&entities(&mut ana).await), names(&before));
}

#[tokio::test]
async fn entities_go_with_what_named_them_and_change_with_it() {
    let system = System::start().await;
    let (mut ana, receipts) = told(&system, "ana").await;
    let dora = named(&mut ana, "Dora Lind").await.expect("Dora").id;
    let forget =
        pb::ForgetMemoriesRequest { user_id: ana.id(), ids: vec![receipts[2].id.clone()], ..Default::default() };
    ana.clients.memories.forget_memories(forget).await.expect("forgotten");
    assert_eq!(named(&mut ana, "Dora Lind").await, None);
    let request = pb::GetEntityRequest { user_id: ana.id(), id: dora, limit: 0 };
    let gone = ana.clients.graph.get_entity(request).await.expect_err("no such entity");
    assert_eq!((gone.code(), reason(&gone).as_str()), (Code::NotFound, "ENTITY_NOT_FOUND"));

    ana.write_over(&receipts[3].id, "We met in Lisbon.").await;
    assert_eq!(named(&mut ana, "Porto").await.expect("Ana lives there").memories, 1);
    assert_eq!(named(&mut ana, "Lisbon").await, None, "it is not read yet");
    ana.night_of(READING).await;
    assert!(named(&mut ana, "Lisbon").await.is_some());
}

#[tokio::test]
async fn records_that_name_a_neighbour_are_found_if_asked_for() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let told = [
        ("Ana", "I work at Acme Corp."),
        ("Ben", "Acme Corp moved all its desks to the harbour."),
        ("Ben", "Rain again."),
    ];
    let receipts = ana.remember_all(told.map(|(who, what)| said(who, what)).to_vec()).await;
    ana.night_of(READING).await;
    for (on, expected) in [(true, true), (false, false)] {
        let request = pb::QueryMemoriesRequest {
            user_id: ana.id(),
            query: "What do you know about Ana?".to_owned(),
            explain: true,
            stages: [("entities".to_owned(), on)].into(),
            ..Default::default()
        };
        let found = ana.clients.memories.query_memories(request).await.expect("an answer").into_inner().results;
        let hop = found.iter().find(|one| one.memory.as_ref().is_some_and(|memory| memory.id == receipts[1].id));
        assert_eq!(hop.is_some(), expected, "{found:?}");
        let by = hop.and_then(|one| one.explanation.clone()).map(|explanation| explanation.found_by);
        assert_eq!(by, expected.then(|| vec!["entity".to_owned()]));
        assert!(found.iter().all(|one| one.memory.as_ref().is_some_and(|memory| memory.id != receipts[2].id)));
    }
}
