//! Returns one goal.

use kimberly_core::{GoalId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::GetGoalRequest>) -> Result<v1::GetGoalResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let goal = app.get_goal(&user, GoalId::parse("id", &request.id)?).await?;
    Ok(v1::GetGoalResponse { goal: Some(convert::goal::goal(goal)) })
}
