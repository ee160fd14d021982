//! Lists goals, newest first.

use kimberly_core::usecases::goals::ListGoalsInput;
use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;

use crate::convert::enums;
use crate::{Api, convert};

pub(super) async fn handle(api: &Api, request: v1::ListGoalsRequest) -> Result<v1::ListGoalsResponse> {
    let user = UserId::parse(&request.user_id)?;
    let status = enums::optional(request.status).map_err(|problem| Error::invalid("status", problem))?;
    let input = ListGoalsInput { status, page: convert::page(request.page_size, request.page_token) };
    let page = api.app.list_goals(&user, input).await?;
    let goals = page.goals.into_iter().map(convert::goal::goal).collect();
    Ok(v1::ListGoalsResponse { goals, next_page_token: page.next })
}
