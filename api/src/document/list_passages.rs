//! Lists the passages of a document.

use kimberly_core::usecases::documents::PassagesInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListPassagesRequest>) -> Result<v1::ListPassagesResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let document = MemoryId::parse("id", &request.id)?;
    let input = PassagesInput { document, page: convert::page(request.page_size, request.page_token) };
    let page = app.list_passages(&user, input).await?;
    let passages = page.passages.into_iter().map(convert::document::passage).collect();
    Ok(v1::ListPassagesResponse { passages, next_page_token: page.next })
}
