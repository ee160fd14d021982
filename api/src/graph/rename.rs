//! Rules how an entity is called, or undoes that.

use kimberly_core::entities::Ruled;
use kimberly_core::usecases::graph::RuleInput;
use kimberly_core::{EntityId, Result};
use kimberly_proto::v1;

use crate::access::Entered;

pub(super) async fn handle(entered: Entered<v1::RenameEntityRequest>) -> Result<v1::RenameEntityResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let id = EntityId::parse("id", &request.id)?;
    let other = id;
    let input = RuleInput { ruled: Ruled::Called, id, other, called: request.name, undo: request.undo };
    Ok(v1::RenameEntityResponse { changed: app.rule_entity(&user, input).await? })
}
