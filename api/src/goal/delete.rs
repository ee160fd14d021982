//! Removes a goal.

use kimberly_core::usecases::goals::DeleteGoalInput;
use kimberly_core::{GoalId, Result};
use kimberly_proto::v1;

use crate::access::Entered;

pub(super) async fn handle(entered: Entered<v1::DeleteGoalRequest>) -> Result<v1::DeleteGoalResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let id = GoalId::parse("id", &request.id)?;
    app.delete_goal(&user, DeleteGoalInput { id, request_id: request.request_id }).await?;
    Ok(v1::DeleteGoalResponse {})
}
