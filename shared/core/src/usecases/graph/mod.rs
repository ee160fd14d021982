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

use std::sync::Arc;

use super::App;
use crate::entities::{FRESH_FOR, Graph};
use crate::error::Result;
use crate::ids::UserId;
use crate::time::Timestamp;

impl App {
    /// Returns the entities of some namespaces, or of all, as the caller sees them now.
    async fn graph(&self, user: &UserId, namespaces: &[String]) -> Result<(Timestamp, Arc<Graph>)> {
        let now = self.clock.now();
        self.graph_of(user, namespaces, (now.minus(FRESH_FOR), now)).await
    }

    /// Returns the same for the second of two times, or for one between them if that is cached, with the time.
    async fn graph_of(
        &self,
        user: &UserId,
        namespaces: &[String],
        times: (Timestamp, Timestamp),
    ) -> Result<(Timestamp, Arc<Graph>)> {
        let of = Arc::new((self.graphs.clone(), user.clone(), namespaces.to_vec()));
        let load = self.vaults.read(user, move |reader| {
            let of = Arc::clone(&of);
            Box::pin(async move { of.0.load(reader, (&of.1, &of.2), times).await })
        });
        load.await
    }
}
