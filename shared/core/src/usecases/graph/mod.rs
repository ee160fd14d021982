//! Entities and their relations: one file per operation.

mod get;
mod list;
mod neighbours;
mod related;
mod rule;
mod subgraph;

pub use get::{EntityDetails, GetEntityInput};
pub use list::{EntityPage, ListEntitiesInput};
pub use neighbours::{Neighbour, Neighbours, NeighboursInput, ShownEdge};
pub use related::{Related, RelatedInput};
pub use rule::RuleInput;
pub use subgraph::{Subgraph, SubgraphInput};

use super::App;
use crate::entities::Graph;
use crate::error::Result;
use crate::ids::UserId;
use crate::time::Timestamp;

impl App {
    /// Loads the entities of some namespaces, or of all, as the caller sees them.
    async fn graph(&self, user: &UserId, namespaces: &[String], now: Timestamp) -> Result<Graph> {
        let namespaces = namespaces.to_vec();
        let load = self.vaults.read(user, move |reader| {
            let namespaces = namespaces.clone();
            Box::pin(async move { Graph::load(reader, &namespaces, now).await })
        });
        load.await
    }
}
