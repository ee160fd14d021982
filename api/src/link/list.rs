//! Lists links.

use kimberly_core::usecases::links::ListLinksInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListLinksRequest>) -> Result<v1::ListLinksResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let id = if request.id.is_empty() { None } else { Some(MemoryId::parse("id", &request.id)?) };
    let input = ListLinksInput {
        id,
        direction: convert::link::direction(request.direction)?,
        relations: convert::link::relations(&request.relations)?,
        withheld: request.include_withheld,
        page: convert::page(request.page_size, request.page_token),
    };
    let page = app.list_links(&user, input).await?;
    let links = page.links.into_iter().map(convert::link::link).collect();
    Ok(v1::ListLinksResponse { links, next_page_token: page.next })
}
