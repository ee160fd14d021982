//! Entity hops: finds records that name an entity of the query, or a neighbour of it, even without the words of the query (Y-7).
//!
//! The first seeds are the entities that the query names, the others their nearest neighbours. An entity
//! named in many records says little, so rare seeds weigh more. Off by default; docs/recall.md lists what it
//! finds and loses.

use std::collections::{BTreeMap, BTreeSet};

use crate::entities::{Edge, Entity, Graph, Mention, MentionPosition, normal};
use crate::ids::{EntityId, MemoryId};
use crate::text::words::words;

/// Most seeds, including those that the query names.
const SEEDS: usize = 20;
/// Most records per seed, the newest first.
const RECORDS: usize = 200;
/// The weight of a neighbour relative to a named entity, before the weight of the edge between them.
const NEAR: f64 = 0.5;
/// The strength of records that name the rarest seeds, as a share of the best hit's.
const STRENGTH: f64 = 0.3;
/// Most words of a name.
const LONGEST: usize = 4;

/// Returns the records that name a seed, by id, each with its strength; `best` is the strength of the best hit.
pub fn named(graph: &Graph, query: &str, best: f64) -> Vec<(MemoryId, f64)> {
    let all = graph.mentions.iter().map(|mention| mention.memory).collect::<BTreeSet<_>>().len();
    let mut worth: BTreeMap<MemoryId, f64> = BTreeMap::new();
    for (seed, weight) in seeds(graph, query) {
        for memory in records(graph, seed) {
            *worth.entry(memory).or_default() += weight * rarity(seed.memories, all);
        }
    }
    let most = worth.values().copied().fold(0.0, f64::max);
    let strength = |worth: f64| if most > 0.0 { best * STRENGTH * worth / most } else { 0.0 };
    worth.into_iter().map(|(memory, worth)| (memory, strength(worth))).filter(|(_, strength)| *strength > 0.0).collect()
}

/// Returns the entities that the query names, then their nearest neighbours, each with its weight.
fn seeds<'g>(graph: &'g Graph, query: &str) -> Vec<(&'g Entity, f64)> {
    let asked = grams(query);
    let is_named = |entity: &&Entity| {
        let mut called = std::iter::once(&entity.name).chain(&entity.aliases);
        called.any(|name| asked.contains(&normal(entity.kind, name)))
    };
    let mut seeds: Vec<(&Entity, f64)> =
        graph.entities.iter().filter(is_named).take(SEEDS).map(|entity| (entity, 1.0)).collect();
    let first: BTreeSet<EntityId> = seeds.iter().map(|(entity, _)| entity.id).collect();
    let mut edges: Vec<(&Edge, EntityId)> =
        graph.edges.iter().filter_map(|edge| Some((edge, other(edge, &first)?))).collect();
    edges.sort_by(|a, b| b.0.weight.total_cmp(&a.0.weight).then(a.1.cmp(&b.1)));
    let mut seen = first;
    for (edge, id) in edges {
        if seeds.len() == SEEDS {
            break;
        }
        if let Some(entity) = graph.entity(id).ok().filter(|_| seen.insert(id)) {
            seeds.push((entity, NEAR * edge.weight.clamp(0.0, 1.0)));
        }
    }
    seeds
}

/// Returns the end of an edge that is not in `from`, if the other end is.
fn other(edge: &Edge, from: &BTreeSet<EntityId>) -> Option<EntityId> {
    match (from.contains(&edge.from), from.contains(&edge.to)) {
        (true, false) => Some(edge.to),
        (false, true) => Some(edge.from),
        _ => None,
    }
}

/// Returns the newest records that name an entity other than as their speaker.
fn records(graph: &Graph, entity: &Entity) -> Vec<MemoryId> {
    let told = |mention: &&Mention| mention.position != MentionPosition::Speaker;
    let mut seen = BTreeSet::new();
    let all = graph.mentions_of(entity).into_iter().filter(told).map(|mention| mention.memory);
    all.filter(|memory| seen.insert(*memory)).take(RECORDS).collect()
}

/// Returns 1 for an entity that one record names, 0 for one that all records name.
#[expect(clippy::cast_precision_loss, reason = "records of a vault are fewer than a double counts")]
fn rarity(memories: u64, all: usize) -> f64 {
    if all < 2 { 1.0 } else { (1.0 - (memories.max(1) as f64).ln() / (all as f64).ln()).max(0.0) }
}

/// Returns all runs of one to four adjacent words of a query, normalized like names.
fn grams(query: &str) -> BTreeSet<String> {
    let words: Vec<String> = words(query).map(|word| normal(crate::entities::EntityType::Person, word)).collect();
    let of = |length: usize| words.windows(length).map(|words| words.join(" ")).collect::<Vec<_>>();
    (1..=LONGEST).flat_map(of).filter(|gram| !gram.trim().is_empty()).collect()
}
