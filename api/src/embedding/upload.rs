//! Hands vectors that were computed elsewhere to the embedder, which alone writes indices.

use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;

use crate::{Api, convert};

pub(super) async fn handle(api: &Api, request: v1::UploadEmbeddingsRequest) -> Result<v1::UploadEmbeddingsResponse> {
    let user = UserId::parse(&request.user_id)?;
    let input = convert::embedding::upload(request)?;
    input.check()?;
    let Some(store) = &api.vector_store else { return Err(Error::EmbeddingsOff { by: "server" }) };
    let outcomes = store.store(&user, input).await?;
    Ok(v1::UploadEmbeddingsResponse { outcomes })
}
