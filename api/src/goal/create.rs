//! Adds a goal.

use kimberly_core::usecases::goals::CreateGoalInput;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use crate::convert::problems::required;
use crate::{Api, convert};

pub(super) async fn handle(api: &Api, request: v1::CreateGoalRequest) -> Result<v1::CreateGoalResponse> {
    let user = UserId::parse(&request.user_id)?;
    let draft = convert::goal::draft(required("goal", request.goal)?)?;
    let goal = api.app.create_goal(&user, CreateGoalInput { draft, request_id: request.request_id }).await?;
    Ok(v1::CreateGoalResponse { goal: Some(convert::goal::goal(goal)) })
}
