//! Rules that two names mean the same entity, or undoes that.

use kimberly_core::entities::Ruled;
use kimberly_core::usecases::graph::RuleInput;
use kimberly_core::{EntityId, Result};
use kimberly_proto::v1;

use crate::access::Entered;

pub(super) async fn handle(entered: Entered<v1::MergeEntitiesRequest>) -> Result<v1::MergeEntitiesResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let id = EntityId::parse("id", &request.id)?;
    let other = EntityId::parse("other_id", &request.other_id)?;
    let input = RuleInput { ruled: Ruled::Same, id, other, called: String::new(), undo: request.undo };
    Ok(v1::MergeEntitiesResponse { changed: app.rule_entity(&user, input).await? })
}
