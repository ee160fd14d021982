//! Returns one entity with its mentions, names, edges and profile.

use kimberly_core::usecases::graph::GetEntityInput;
use kimberly_core::{EntityId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::GetEntityRequest>) -> Result<v1::GetEntityResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let input = GetEntityInput { id: EntityId::parse("id", &request.id)?, limit: request.limit };
    let found = app.get_entity(&user, input).await?;
    let mentions = found.mentions.into_iter().map(convert::graph::mention).collect();
    Ok(v1::GetEntityResponse {
        entity: Some(convert::graph::entity(found.entity)),
        mentions,
        truncated: found.truncated,
        names: found.names.into_iter().map(convert::graph::name).collect(),
        edges: found.edges.into_iter().map(convert::graph::edge).collect(),
        profile: found.profile.map(|profile| convert::memory::memory(&user, profile)).transpose()?,
    })
}
