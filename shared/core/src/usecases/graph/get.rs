//! Reads one entity.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::neighbours::{ShownEdge, by_weight};
use crate::bounds::{DEFAULT_PAGE_SIZE, MAX_ENTITY_EDGES, MAX_PAGE_SIZE};
use crate::boxed;
use crate::entities::{Edge, Entity, Mention, NameId};
use crate::error::Result;
use crate::ids::{EntityId, MemoryId, UserId};
use crate::memory::Memory;
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::page::limit;
use crate::usecases::profiles::profile_of;

/// Most names under which a profile is looked for.
const NAMES: usize = 16;

/// The entity to read.
#[derive(Clone, Debug)]
pub struct GetEntityInput {
    /// The id of one of its names.
    pub id: EntityId,
    /// Most mentions to return; 0 for the default.
    pub limit: i32,
}

/// An entity with its mentions, names, edges and profile.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityDetails {
    /// The entity.
    pub entity: Entity,
    /// Its mentions, newest first.
    pub mentions: Vec<Mention>,
    /// Whether there are more mentions.
    pub truncated: bool,
    /// Its names, each in its most frequent spelling, and how often each is mentioned.
    pub names: Vec<(EntityId, String, u64)>,
    /// Its edges to other entities, strongest first.
    pub edges: Vec<ShownEdge>,
    /// The profile that meditations wrote of it, if it holds.
    pub profile: Option<Memory>,
}

impl App {
    /// Returns an entity with its mentions, names, edges and profile.
    #[boxed]
    pub async fn get_entity(&self, user: &UserId, input: GetEntityInput) -> Result<EntityDetails> {
        let limit = limit(input.limit, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)?;
        let now = self.clock.now();
        let (_, graph) = self.graph(user, &[]).await?;
        let entity = graph.entity(input.id)?;
        let mentions = graph.mentions_of(entity);
        let names = names_of(&mentions);
        let mut edges: Vec<&Edge> =
            graph.edges.iter().filter(|edge| [edge.from, edge.to].contains(&entity.id)).collect();
        by_weight(&mut edges);
        let edges = edges.into_iter().take(MAX_ENTITY_EDGES).map(|edge| ShownEdge::of(edge, &graph)).collect();
        let profile = match mentions.first() {
            Some(mention) => self.profile(user, (mention.memory, entity), now).await?,
            None => None,
        };
        let truncated = mentions.len() > limit;
        let mentions = mentions.into_iter().take(limit).cloned().collect();
        Ok(EntityDetails { entity: entity.clone(), mentions, truncated, names, edges, profile })
    }

    /// Returns the profile of an entity, in the namespace of a record that names it. A profile carries the name that
    /// its sources use, so several names are tried.
    async fn profile(
        &self,
        user: &UserId,
        (id, entity): (MemoryId, &Entity),
        now: Timestamp,
    ) -> Result<Option<Memory>> {
        let names = [&entity.name].into_iter().chain(&entity.aliases).take(NAMES);
        let names: Arc<Vec<String>> = Arc::new(names.cloned().collect());
        let read = self.vaults.read(user, move |reader| {
            let names = Arc::clone(&names);
            Box::pin(async move {
                let Some(memory) = reader.memory(id).await? else { return Ok(None) };
                for name in &*names {
                    let found = profile_of(reader, (&memory.draft.namespace, name), now).await?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
                Ok(None)
            })
        });
        read.await
    }
}

/// Returns names by id, most mentioned first: each in its most frequent spelling, with how often it is mentioned.
fn names_of(mentions: &[&Mention]) -> Vec<(EntityId, String, u64)> {
    let mut names: BTreeMap<NameId, BTreeMap<&str, u64>> = BTreeMap::new();
    for mention in mentions {
        *names.entry(mention.name).or_default().entry(&mention.surface).or_default() += 1;
    }
    let written = |(id, surfaces): (NameId, BTreeMap<&str, u64>)| {
        let all: u64 = surfaces.values().sum();
        let most = surfaces.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)));
        (EntityId(id.0), most.map_or_else(String::new, |(surface, _)| surface.to_owned()), all)
    };
    let mut all: Vec<_> = names.into_iter().map(written).collect();
    all.sort_by(|a, b| b.2.cmp(&a.2).then(a.0.cmp(&b.0)));
    all
}
