//! Returns a part of the graph, for drawing.

use kimberly_core::usecases::graph::SubgraphInput;
use kimberly_core::{EntityId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::GetSubgraphRequest>) -> Result<v1::GetSubgraphResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let ids = request.ids.iter().enumerate().map(|(at, id)| EntityId::parse(&format!("ids[{at}]"), id));
    let ids = ids.collect::<Result<_>>()?;
    let input = SubgraphInput { ids, namespaces: request.namespaces, limit: request.limit };
    let found = app.get_subgraph(&user, input).await?;
    Ok(v1::GetSubgraphResponse {
        entities: found.entities.into_iter().map(convert::graph::entity).collect(),
        edges: found.edges.into_iter().map(convert::graph::edge).collect(),
        truncated: found.truncated,
    })
}
