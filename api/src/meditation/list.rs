//! Lists runs, newest first.

use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use crate::{Api, convert};

pub(super) async fn handle(api: &Api, request: v1::ListMeditationsRequest) -> Result<v1::ListMeditationsResponse> {
    let user = UserId::parse(&request.user_id)?;
    let page = convert::page(request.page_size, request.page_token);
    let found = api.app.list_meditations(&user, &page).await?;
    let meditations = found.meditations.into_iter().map(|run| convert::meditation::meditation(&user, run)).collect();
    Ok(v1::ListMeditationsResponse { meditations, next_page_token: found.next })
}
