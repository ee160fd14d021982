//! Tells how a user's vectors stand.

use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use crate::{Api, convert};

pub(super) async fn handle(
    api: &Api,
    request: v1::GetEmbeddingStatusRequest,
) -> Result<v1::GetEmbeddingStatusResponse> {
    let status = api.app.embedding_status(&UserId::parse(&request.user_id)?).await?;
    Ok(v1::GetEmbeddingStatusResponse { status: Some(convert::embedding::status(&status)) })
}
