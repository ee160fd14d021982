//! Returns a part of the graph, for drawing.

use std::collections::BTreeSet;

use super::neighbours::{ShownEdge, by_weight};
use crate::bounds::{DEFAULT_NEIGHBOURS, MAX_FILTER_NAMESPACES, MAX_NEIGHBOURS, MAX_SUBGRAPH_EDGES};
use crate::boxed;
use crate::entities::{Edge, Entity};
use crate::error::{Error, Result};
use crate::ids::{EntityId, UserId};
use crate::memory::check_namespaces;
use crate::usecases::App;
use crate::usecases::page::limit;

/// The part of the graph to return.
#[derive(Clone, Debug, Default)]
pub struct SubgraphInput {
    /// These entities; empty for the most salient ones.
    pub ids: Vec<EntityId>,
    /// Only entities of memories in these namespaces; empty for all.
    pub namespaces: Vec<String>,
    /// Most entities, if `ids` is empty; 0 for the default.
    pub limit: i32,
}

/// Entities with the edges between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subgraph {
    /// The entities, most salient first.
    pub entities: Vec<Entity>,
    /// The edges, strongest first.
    pub edges: Vec<ShownEdge>,
    /// Whether entities or edges were left out.
    pub truncated: bool,
}

impl App {
    /// Returns entities with the edges between them.
    #[boxed]
    pub async fn get_subgraph(&self, user: &UserId, input: SubgraphInput) -> Result<Subgraph> {
        let most = limit(input.limit, DEFAULT_NEIGHBOURS, MAX_NEIGHBOURS)?;
        let mut violations = Vec::new();
        check_namespaces("namespaces", &input.namespaces, MAX_FILTER_NAMESPACES, &mut violations);
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        if input.ids.len() > MAX_NEIGHBOURS {
            let problem = format!("has {} entries; at most {MAX_NEIGHBOURS} are allowed", input.ids.len());
            return Err(Error::invalid("ids", problem));
        }
        let (_, graph) = self.graph(user, &input.namespaces).await?;
        let asked: BTreeSet<EntityId> =
            input.ids.iter().map(|id| graph.entity(*id).map(|entity| entity.id)).collect::<Result<_>>()?;
        let wanted = |entity: &&Entity| asked.is_empty() || asked.contains(&entity.id);
        let found = graph.entities.iter().filter(wanted);
        let most = if asked.is_empty() { most } else { asked.len() };
        let mut entities: Vec<Entity> = found.take(most + 1).cloned().collect();
        let more = entities.len() > most;
        entities.truncate(most);
        let ids: BTreeSet<EntityId> = entities.iter().map(|entity| entity.id).collect();
        let mut edges: Vec<&Edge> =
            graph.edges.iter().filter(|edge| ids.contains(&edge.from) && ids.contains(&edge.to)).collect();
        by_weight(&mut edges);
        let truncated = more || edges.len() > MAX_SUBGRAPH_EDGES;
        let edges = edges.into_iter().take(MAX_SUBGRAPH_EDGES).map(|edge| ShownEdge::of(edge, &graph)).collect();
        Ok(Subgraph { entities, edges, truncated })
    }
}
