//! The entities around one.

use std::collections::BTreeSet;

use crate::bounds::{DEFAULT_NEIGHBOURS, MAX_GRAPH_DEPTH, MAX_NEIGHBOURS};
use crate::entities::{Edge, Entity, EntityRelation, Graph};
use crate::error::{Error, Result};
use crate::ids::{EntityId, UserId};
use crate::usecases::App;
use crate::usecases::page::limit;

/// Whose neighbours.
#[derive(Clone, Debug)]
pub struct NeighboursInput {
    /// The id of one of its names.
    pub id: EntityId,
    /// At most so many edges away; 0 for one.
    pub depth: i32,
    /// Along these relations; along all, if none is named.
    pub relations: Vec<EntityRelation>,
    /// At most this many; 0 for the default.
    pub limit: i32,
}

/// An entity near another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// It.
    pub entity: Entity,
    /// How many edges it is away, from 1.
    pub depth: usize,
    /// The strongest edge by which it was reached.
    pub edge: ShownEdge,
}

/// An edge with the names of its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownEdge {
    /// It.
    pub edge: Edge,
    /// The name of the one,
    pub from: String,
    /// and of the other.
    pub to: String,
}

impl ShownEdge {
    /// An edge of a graph.
    pub(super) fn of(edge: &Edge, graph: &Graph) -> Self {
        let name = |id| graph.entity(id).map_or_else(|_| String::new(), |entity| entity.name.clone());
        Self { edge: edge.clone(), from: name(edge.from), to: name(edge.to) }
    }
}

/// The entities around one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbours {
    /// The nearest first.
    pub all: Vec<Neighbour>,
    /// Whether there are more.
    pub truncated: bool,
}

/// The strongest first, then in the order of what names them.
pub(super) fn by_weight(edges: &mut [&Edge]) {
    edges.sort_by(|a, b| {
        b.weight.total_cmp(&a.weight).then((a.from, a.relation, a.to).cmp(&(b.from, b.relation, b.to)))
    });
}

impl App {
    /// The entities around one, the nearest and strongest first.
    pub async fn list_neighbours(&self, user: &UserId, input: NeighboursInput) -> Result<Neighbours> {
        let most = limit(input.limit, DEFAULT_NEIGHBOURS, MAX_NEIGHBOURS)?;
        let depth = match usize::try_from(input.depth) {
            Ok(0) => 1,
            Ok(depth) if depth <= MAX_GRAPH_DEPTH => depth,
            _ => {
                let problem = format!("is {}; 1 to {MAX_GRAPH_DEPTH} are allowed, and 0 for 1", input.depth);
                return Err(Error::invalid("depth", problem));
            }
        };
        if input.relations.len() > EntityRelation::ALL.len() {
            let (has, most) = (input.relations.len(), EntityRelation::ALL.len());
            return Err(Error::invalid("relations", format!("has {has} entries; at most {most} are allowed")));
        }
        let graph = self.graph(user, &[], self.clock.now()).await?;
        let from = graph.entity(input.id)?.id;
        let along = |edge: &&Edge| input.relations.is_empty() || input.relations.contains(&edge.relation);
        let mut edges: Vec<&Edge> = graph.edges.iter().filter(along).collect();
        by_weight(&mut edges);
        Ok(around(&graph, &edges, from, depth, most))
    }
}

/// Walks a level at a time; `edges` come with the strongest first.
fn around(graph: &Graph, edges: &[&Edge], from: EntityId, depth: usize, most: usize) -> Neighbours {
    let mut found = Neighbours::default();
    let (mut seen, mut level) = (BTreeSet::from([from]), BTreeSet::from([from]));
    for depth in 1..=depth {
        let mut next = BTreeSet::new();
        for edge in edges {
            let other = match (level.contains(&edge.from), level.contains(&edge.to)) {
                (true, false) => edge.to,
                (false, true) => edge.from,
                _ => continue,
            };
            let Some(entity) = graph.entity(other).ok().filter(|_| seen.insert(other)) else { continue };
            if found.all.len() == most {
                found.truncated = true;
                return found;
            }
            next.insert(other);
            found.all.push(Neighbour { entity: entity.clone(), depth, edge: ShownEdge::of(edge, graph) });
        }
        level = next;
    }
    found
}
