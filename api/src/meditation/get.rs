//! Returns one run and a page of its decisions.

use kimberly_core::{MeditationId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::GetMeditationRequest>) -> Result<v1::GetMeditationResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let id = MeditationId::parse("id", &request.id)?;
    let page = convert::page(request.page_size, request.page_token);
    let found = app.get_meditation(&user, id, &page).await?;
    Ok(v1::GetMeditationResponse {
        meditation: Some(convert::meditation::meditation(&user, found.meditation)),
        decisions: found.decisions.into_iter().map(|found| convert::meditation::recorded(&found)).collect(),
        next_page_token: found.next,
    })
}
