//! Changes the fields of a goal that the mask names.

use kimberly_core::usecases::goals::{GoalPatch, UpdateGoalInput};
use kimberly_core::{GoalId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::problems::required;

pub(super) async fn handle(entered: Entered<v1::UpdateGoalRequest>) -> Result<v1::UpdateGoalResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let goal = required("goal", request.goal)?;
    let id = GoalId::parse("goal.id", &goal.id)?;
    let etag = goal.etag.clone();
    let patch = GoalPatch::new(convert::goal::draft(goal)?, &request.update_mask.unwrap_or_default().paths)?;
    let input = UpdateGoalInput { id, patch, etag, request_id: request.request_id };
    let goal = app.update_goal(&user, input).await?;
    Ok(v1::UpdateGoalResponse { goal: Some(convert::goal::goal(goal)) })
}
