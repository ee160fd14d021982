//! Lists memories in a fixed order, page by page.

use kimberly_core::usecases::ListInput;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use crate::{Api, convert};

pub(super) async fn handle(api: &Api, request: v1::ListMemoriesRequest) -> Result<v1::ListMemoriesResponse> {
    let user = UserId::parse(&request.user_id)?;
    let input = ListInput {
        filter: convert::filter::filter(request.filter)?,
        order: convert::filter::order(request.order)?,
        page: convert::page(request.page_size, request.page_token),
    };
    let page = api.app.list_memories(&user, input).await?;
    let memories = page.memories.into_iter().map(|memory| convert::memory::memory(&user, memory));
    Ok(v1::ListMemoriesResponse { memories: memories.collect::<Result<_>>()?, next_page_token: page.next })
}
