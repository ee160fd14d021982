//! `kimberly graph`: relations between entities.

use kimberly_proto::v1;

use super::entities;
use crate::context::Context;
use crate::error::CliResult;
use crate::names::EntityRelationArg;
use crate::{json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The entity whose neighbours are shown, by id or name; without one, the most salient entities
    entity: Option<String>,
    /// Maximum number of edges away, 1 to 3
    #[arg(long, default_value_t = 1, requires = "entity")]
    depth: i32,
    /// Only along this relation; several times for several
    #[arg(long, requires = "entity")]
    relation: Vec<EntityRelationArg>,
    /// At most this many entities, 1 to 200
    #[arg(short = 'n', long, default_value_t = 50)]
    limit: i32,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let (user_id, limit) = (context.user.clone(), self.limit);
        let Some(entity) = self.entity else {
            let request = v1::GetSubgraphRequest { user_id, limit, ..Default::default() };
            let answer = client.graph().get_subgraph(request).await?.into_inner();
            return context.out.answer(|| json::of(&answer), || view::edges(&answer.edges));
        };
        let request = v1::ListNeighboursRequest {
            user_id,
            id: entities::one(context, &client, entity).await?,
            depth: self.depth,
            relations: self.relation.into_iter().map(Into::into).collect(),
            limit,
        };
        let answer = client.graph().list_neighbours(request).await?.into_inner();
        let edges = || answer.neighbours.iter().filter_map(|neighbour| neighbour.edge.clone()).collect::<Vec<_>>();
        context.out.answer(|| json::of(&answer), || view::edges(&edges()))
    }
}
