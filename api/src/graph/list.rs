//! Lists entities.

use kimberly_core::Result;
use kimberly_core::usecases::graph::ListEntitiesInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListEntitiesRequest>) -> Result<v1::ListEntitiesResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let input = ListEntitiesInput {
        types: convert::graph::types(&request.types)?,
        search: request.search,
        namespaces: request.namespaces,
        page: convert::page(request.page_size, request.page_token),
    };
    let page = app.list_entities(&user, input).await?;
    let entities = page.entities.into_iter().map(convert::graph::entity).collect();
    Ok(v1::ListEntitiesResponse { entities, next_page_token: page.next })
}
