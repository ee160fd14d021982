//! Removes a goal.

use kimberly_core::usecases::goals::DeleteGoalInput;
use kimberly_core::{GoalId, Result, UserId};
use kimberly_proto::v1;

use crate::Api;

pub(super) async fn handle(api: &Api, request: v1::DeleteGoalRequest) -> Result<v1::DeleteGoalResponse> {
    let user = UserId::parse(&request.user_id)?;
    let id = GoalId::parse("id", &request.id)?;
    api.app.delete_goal(&user, DeleteGoalInput { id, request_id: request.request_id }).await?;
    Ok(v1::DeleteGoalResponse {})
}
