//! Lists runs, newest first.

use kimberly_core::Result;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListMeditationsRequest>) -> Result<v1::ListMeditationsResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let page = convert::page(request.page_size, request.page_token);
    let found = app.list_meditations(&user, &page).await?;
    let meditations = found.meditations.into_iter().map(|run| convert::meditation::meditation(&user, run)).collect();
    Ok(v1::ListMeditationsResponse { meditations, next_page_token: found.next })
}
