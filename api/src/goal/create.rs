//! Adds a goal.

use kimberly_core::Result;
use kimberly_core::usecases::goals::CreateGoalInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::problems::required;

pub(super) async fn handle(entered: Entered<v1::CreateGoalRequest>) -> Result<v1::CreateGoalResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let draft = convert::goal::draft(required("goal", request.goal)?)?;
    let goal = app.create_goal(&user, CreateGoalInput { draft, request_id: request.request_id }).await?;
    Ok(v1::CreateGoalResponse { goal: Some(convert::goal::goal(goal)) })
}
