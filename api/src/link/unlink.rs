//! Removes a link.

use kimberly_core::Result;
use kimberly_core::usecases::links::UnlinkInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::UnlinkRequest>) -> Result<v1::UnlinkResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let key = convert::link::key("", &request.from_id, request.relation, &request.to_id)?;
    let unlinked = app.unlink(&user, UnlinkInput { key, request_id: request.request_id }).await?;
    Ok(v1::UnlinkResponse { removed: unlinked.removed })
}
