//! Reads one goal.

use kimberly_core::{GoalId, Result, UserId};
use kimberly_proto::v1;

use crate::{Api, convert};

pub(super) async fn handle(api: &Api, request: v1::GetGoalRequest) -> Result<v1::GetGoalResponse> {
    let user = UserId::parse(&request.user_id)?;
    let goal = api.app.get_goal(&user, GoalId::parse("id", &request.id)?).await?;
    Ok(v1::GetGoalResponse { goal: Some(convert::goal::goal(goal)) })
}
