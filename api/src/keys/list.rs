//! Lists keys.

use kimberly_core::usecases::keys::ListKeysInput;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListKeysRequest, Option<UserId>>) -> Result<v1::ListKeysResponse> {
    let Entered { message: request, app, system, .. } = entered;
    let page = convert::page(request.page_size, request.page_token);
    let found = app.list_keys(&*system.auth.credentials, ListKeysInput { page }).await?;
    let credentials = found.keys.into_iter().map(convert::credential::credential).collect();
    Ok(v1::ListKeysResponse { credentials, next_page_token: found.next })
}
