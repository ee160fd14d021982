//! Changes the fields of a goal that the mask names.

use kimberly_core::usecases::goals::{GoalPatch, UpdateGoalInput};
use kimberly_core::{GoalId, Result, UserId};
use kimberly_proto::v1;

use crate::convert::problems::required;
use crate::{Api, convert};

pub(super) async fn handle(api: &Api, request: v1::UpdateGoalRequest) -> Result<v1::UpdateGoalResponse> {
    let user = UserId::parse(&request.user_id)?;
    let goal = required("goal", request.goal)?;
    let id = GoalId::parse("goal.id", &goal.id)?;
    let etag = goal.etag.clone();
    let patch = GoalPatch::new(convert::goal::draft(goal)?, &request.update_mask.unwrap_or_default().paths)?;
    let input = UpdateGoalInput { id, patch, etag, request_id: request.request_id };
    let goal = api.app.update_goal(&user, input).await?;
    Ok(v1::UpdateGoalResponse { goal: Some(convert::goal::goal(goal)) })
}
