//! Passes vectors computed elsewhere to the embedder, the only writer of vector indexes.

use kimberly_core::{Error, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::{Api, convert};

pub(super) async fn handle(
    api: &Api,
    entered: Entered<v1::UploadEmbeddingsRequest>,
) -> Result<v1::UploadEmbeddingsResponse> {
    let Entered { message: request, user, .. } = entered;
    let input = convert::embedding::upload(request)?;
    input.check()?;
    let Some(store) = &api.vector_store else { return Err(Error::EmbeddingsOff { by: "server" }) };
    let outcomes = store.store(&user, input).await?;
    Ok(v1::UploadEmbeddingsResponse { outcomes })
}
