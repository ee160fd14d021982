//! Lists purges and their receipts.

use kimberly_core::usecases::purge::ListPurgesInput;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListPurgesRequest, Option<UserId>>) -> Result<v1::ListPurgesResponse> {
    let Entered { message: request, user, app, system, .. } = entered;
    let page = convert::page(request.page_size, request.page_token);
    let found = app.list_purges(&*system.purges, ListPurgesInput { of: user, page }).await?;
    let purges = found.purges.into_iter().map(convert::purge::purge).collect();
    Ok(v1::ListPurgesResponse { purges, next_page_token: found.next })
}
