//! Lists uncertain memories, least certain first.

use kimberly_core::Result;
use kimberly_core::usecases::UncertainInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListUncertainRequest>) -> Result<v1::ListUncertainResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let filter = convert::filter::filter(request.filter)?;
    let input = UncertainInput { threshold: request.threshold, filter, limit: request.limit };
    let found = app.list_uncertain(&user, input).await?;
    Ok(v1::ListUncertainResponse { memories: super::listed(&app, &user, found)? })
}
