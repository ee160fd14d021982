//! `Embed`: validates the bounds and runs the model.

use kimberly_proto::internal::{EmbedRequest, EmbedResponse, Purpose, Vector};

use super::key;
use super::status::Refusal;
use crate::lanes::Lane;
use crate::models::Models;

/// Maximum texts per call.
const MAX_TEXTS: usize = 256;
/// Maximum total bytes of a call's texts.
const MAX_BYTES: usize = 1 << 20;

pub(super) async fn embed(models: &Models, request: EmbedRequest) -> Result<EmbedResponse, Refusal> {
    let lane = match request.purpose() {
        Purpose::Query => Lane::Query,
        Purpose::Document => Lane::Bulk,
        Purpose::Unspecified => {
            return Err(Refusal::Invalid("purpose must be PURPOSE_QUERY or PURPOSE_DOCUMENT".into()));
        }
    };
    let (texts, bytes) = (request.texts.len(), request.texts.iter().map(String::len).sum::<usize>());
    if texts == 0 || texts > MAX_TEXTS || bytes > MAX_BYTES {
        return Err(Refusal::Invalid(format!(
            "there are {texts} texts of {bytes} bytes; 1 to {MAX_TEXTS} of at most {MAX_BYTES} in all are allowed"
        )));
    }
    let embedder = models.named(&request.model).ok_or_else(|| Refusal::NoSuchModel(request.model.clone()))?;
    let vectors = embedder.embed(request.texts, lane).await?;
    let vectors = vectors.into_iter().map(|values| Vector { values }).collect();
    Ok(EmbedResponse { model: Some(key(embedder.key())), vectors })
}
