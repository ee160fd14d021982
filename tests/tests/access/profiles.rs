//! Callers who cannot see a profile's source memories learn nothing of it, by any call.

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::graph_service_client::GraphServiceClient;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::named_record_service_client::NamedRecordServiceClient;

use crate::access::credentials::OWN;
use crate::access::told::shown;
use crate::access::world::World;

const FACTS: [&str; 5] =
    ["works at Acme Corp.", "lives in Porto.", "likes green tea.", "plays the cello.", "speaks four languages."];

fn told(name: &str, namespace: &str, facts: &[&str]) -> Vec<pb::MemoryDraft> {
    let draft = |fact: &&str| pb::MemoryDraft {
        tier: pb::Tier::LongTerm.into(),
        content: format!("{name} {fact}"),
        namespace: namespace.to_owned(),
        ..pb::MemoryDraft::default()
    };
    facts.iter().map(draft).collect()
}

/// Creates a profile of Bob, whose sources the limited caller can see, and one of Clara, whose sources it cannot.
async fn described(world: &World) {
    let mut owner = world.system.user(OWN);
    let facts = [told("Bob", "work", &FACTS), told("Clara", "home", &FACTS), told("Clara", "work", &FACTS[3..])];
    owner.remember_all(facts.concat()).await;
    owner.night_of(&["entities", "link", "profiles"]).await;
    let kinds = vec![pb::Kind::Profile.into()];
    assert_eq!(owner.list(pb::MemoryFilter { kinds, ..Default::default() }).await.len(), 2, "both are described");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_profile_is_shown_to_those_alone_who_reach_what_it_rests_on() {
    let world = World::new().await;
    described(&world).await;
    let kind = world.kind("namespace");
    let mut memories = MemoryServiceClient::new(world.required.clone());
    let filter = Some(pb::MemoryFilter { kinds: vec![pb::Kind::Profile.into()], ..Default::default() });
    let list = pb::ListMemoriesRequest { user_id: OWN.to_owned(), filter, ..Default::default() };
    let listed = memories.list_memories(shown(kind, list)).await.expect("a list").into_inner().memories;
    assert_eq!(listed.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["profiles/Bob"]);
    let mut named = NamedRecordServiceClient::new(world.required.clone());
    for (namespace, name, is_told) in
        [("work", "profiles/Bob", true), ("work", "profiles/Clara", false), ("home", "profiles/Clara", false)]
    {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        let get = pb::GetNamedRecordRequest { user_id: OWN.to_owned(), namespace, name, ..Default::default() };
        let found = named.get_named_record(shown(kind, get.clone())).await;
        assert_eq!(found.is_ok(), is_told, "{get:?}");
    }
    let mut graph = GraphServiceClient::new(world.required.clone());
    let list = pb::ListEntitiesRequest { user_id: OWN.to_owned(), ..Default::default() };
    let entities = graph.list_entities(shown(kind, list)).await.expect("entities").into_inner().entities;
    for (name, is_told) in [("Bob", true), ("Clara", false)] {
        let id = entities.iter().find(|entity| entity.name == name).expect("it is known at work").id.clone();
        let get = pb::GetEntityRequest { user_id: OWN.to_owned(), id, ..Default::default() };
        let found = graph.get_entity(shown(kind, get)).await.expect("an entity").into_inner();
        assert_eq!(found.profile.is_some(), is_told, "{name}");
    }
}
