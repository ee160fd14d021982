//! Rules that two names mean different entities, or undoes that.

use kimberly_core::entities::Ruled;
use kimberly_core::usecases::graph::RuleInput;
use kimberly_core::{EntityId, Result};
use kimberly_proto::v1;

use crate::access::Entered;

pub(super) async fn handle(entered: Entered<v1::SplitEntityRequest>) -> Result<v1::SplitEntityResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let id = EntityId::parse("id", &request.id)?;
    let other = EntityId::parse("other_id", &request.other_id)?;
    let input = RuleInput { ruled: Ruled::Apart, id, other, called: String::new(), undo: request.undo };
    Ok(v1::SplitEntityResponse { changed: app.rule_entity(&user, input).await? })
}
