//! Links a memory to another.

use kimberly_core::usecases::links::LinkInput;
use kimberly_core::{Error, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::LinkRequest>) -> Result<v1::LinkResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let raw = request.link.ok_or_else(|| Error::invalid("link", "is required"))?;
    let input = LinkInput { link: convert::link::draft("link", raw)?, request_id: request.request_id };
    let linked = app.link(&user, input).await?;
    let created_at = Some(convert::time::wire_timestamp(linked.created_at));
    Ok(v1::LinkResponse { created: linked.created, created_at })
}
