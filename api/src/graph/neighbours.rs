//! Lists the entities around one.

use kimberly_core::usecases::graph::NeighboursInput;
use kimberly_core::{EntityId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListNeighboursRequest>) -> Result<v1::ListNeighboursResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let input = NeighboursInput {
        id: EntityId::parse("id", &request.id)?,
        depth: request.depth,
        relations: convert::graph::relations(&request.relations)?,
        limit: request.limit,
    };
    let found = app.list_neighbours(&user, input).await?;
    let neighbours = found.all.into_iter().map(convert::graph::neighbour).collect();
    Ok(v1::ListNeighboursResponse { neighbours, truncated: found.truncated })
}
