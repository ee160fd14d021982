//! Lists the users who have a vault.

use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use super::token::{behind, token};
use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListUsersRequest, Option<UserId>>) -> Result<v1::ListUsersResponse> {
    let Entered { message: request, system, .. } = entered;
    let page = convert::page(request.page_size, request.page_token);
    let limit = page.limit()?;
    let after = convert::text(page.token).map(|token| behind(&token)).transpose()?;
    let found = system.registry.users(after.as_ref(), limit).await?;
    let next_page_token = found.last().filter(|_| found.len() == limit).map(token).unwrap_or_default();
    let users = found.into_iter().map(|user| v1::ListedUser { user_id: user.into() }).collect();
    Ok(v1::ListUsersResponse { users, next_page_token })
}
