//! Lists the entities around one.

use std::collections::BTreeSet;

use crate::bounds::{DEFAULT_NEIGHBOURS, MAX_GRAPH_DEPTH, MAX_NEIGHBOURS};
use crate::boxed;
use crate::entities::{Edge, Entity, EntityRelation, Graph};
use crate::error::{Error, Result};
use crate::ids::{EntityId, UserId};
use crate::usecases::App;
use crate::usecases::page::limit;

/// The neighbours to list.
#[derive(Clone, Debug)]
pub struct NeighboursInput {
    /// The id of one of its names.
    pub id: EntityId,
    /// Most edges between the entities; 0 for one.
    pub depth: i32,
    /// Only along these relations; empty for all.
    pub relations: Vec<EntityRelation>,
    /// Most neighbours to return; 0 for the default.
    pub limit: i32,
}

/// An entity near another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// The entity.
    pub entity: Entity,
    /// Number of edges to it, from 1.
    pub depth: usize,
    /// The strongest edge by which it was reached.
    pub edge: ShownEdge,
}

/// An edge with the names of its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownEdge {
    /// The edge.
    pub edge: Edge,
    /// Name of the entity that it starts from.
    pub from: String,
    /// Name of the entity that it leads to.
    pub to: String,
}

impl ShownEdge {
    /// Adds the names of its ends to an edge.
    pub(super) fn of(edge: &Edge, graph: &Graph) -> Self {
        let name = |id| graph.entity(id).map_or_else(|_| String::new(), |entity| entity.name.clone());
        Self { edge: edge.clone(), from: name(edge.from), to: name(edge.to) }
    }
}

/// The entities around one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbours {
    /// The neighbours, nearest first.
    pub all: Vec<Neighbour>,
    /// Whether there are more neighbours.
    pub truncated: bool,
}

/// Sorts edges, strongest first, then by start, relation and end.
pub(super) fn by_weight(edges: &mut [&Edge]) {
    edges.sort_by(|a, b| {
        b.weight.total_cmp(&a.weight).then((a.from, a.relation, a.to).cmp(&(b.from, b.relation, b.to)))
    });
}

impl App {
    /// Returns the entities around one, nearest and strongest first.
    #[boxed]
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
        let (_, graph) = self.graph(user, &[]).await?;
        let from = graph.entity(input.id)?.id;
        let along = |edge: &&Edge| input.relations.is_empty() || input.relations.contains(&edge.relation);
        let mut edges: Vec<&Edge> = graph.edges.iter().filter(along).collect();
        by_weight(&mut edges);
        Ok(around(&graph, &edges, from, depth, most))
    }
}

/// Walks the graph one level at a time; `edges` are sorted, strongest first.
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
