//! Rules that a name is not an entity, or undoes that.

use kimberly_core::entities::Ruled;
use kimberly_core::usecases::graph::RuleInput;
use kimberly_core::{EntityId, Result};
use kimberly_proto::v1;

use crate::access::Entered;

pub(super) async fn handle(entered: Entered<v1::DismissEntityRequest>) -> Result<v1::DismissEntityResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let id = EntityId::parse("id", &request.id)?;
    let other = id;
    let input = RuleInput { ruled: Ruled::Dismissed, id, other, called: String::new(), undo: request.undo };
    Ok(v1::DismissEntityResponse { changed: app.rule_entity(&user, input).await? })
}
