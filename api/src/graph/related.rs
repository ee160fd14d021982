//! Lists memories related to one.

use kimberly_core::usecases::graph::RelatedInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListRelatedRequest>) -> Result<v1::ListRelatedResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let input = RelatedInput { id: MemoryId::parse("id", &request.id)?, limit: request.limit };
    let related = app.list_related(&user, input).await?;
    let related = related.into_iter().map(|one| convert::graph::related(&user, one)).collect::<Result<_>>()?;
    Ok(v1::ListRelatedResponse { related })
}
