//! Lists goals, newest first.

use kimberly_core::usecases::goals::ListGoalsInput;
use kimberly_core::{Error, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::enums;

pub(super) async fn handle(entered: Entered<v1::ListGoalsRequest>) -> Result<v1::ListGoalsResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let status = enums::optional(request.status).map_err(|problem| Error::invalid("status", problem))?;
    let input = ListGoalsInput { status, page: convert::page(request.page_size, request.page_token) };
    let page = app.list_goals(&user, input).await?;
    let goals = page.goals.into_iter().map(convert::goal::goal).collect();
    Ok(v1::ListGoalsResponse { goals, next_page_token: page.next })
}
