//! Returns a purge or its receipt.

use kimberly_core::{PurgeId, Result, UserId};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::GetPurgeRequest, Option<UserId>>) -> Result<v1::GetPurgeResponse> {
    let Entered { message: request, user, app, system, .. } = entered;
    let id = PurgeId::parse("id", &request.id)?;
    let purge = app.get_purge(&*system.purges, user.as_ref(), id).await?;
    Ok(v1::GetPurgeResponse { purge: Some(convert::purge::purge(purge)) })
}
