//! Lists captures from which nothing was derived yet.

use kimberly_core::Result;
use kimberly_core::usecases::UnprocessedInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListUnprocessedRequest>) -> Result<v1::ListUnprocessedResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let filter = convert::filter::filter(request.filter)?;
    let found = app.list_unprocessed(&user, UnprocessedInput { filter, limit: request.limit }).await?;
    Ok(v1::ListUnprocessedResponse { memories: super::listed(&app, &user, found)? })
}
