//! Returns the status of a user's vectors.

use kimberly_core::Result;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::GetEmbeddingStatusRequest>) -> Result<v1::GetEmbeddingStatusResponse> {
    let Entered { user, app, system, .. } = entered;
    let status = app.embedding_status(&*system.registry, &user).await?;
    Ok(v1::GetEmbeddingStatusResponse { status: Some(convert::embedding::status(&status)) })
}
