//! Implements the port that embeds documents with the model's threads.

use kimberly_core::embedding::ModelKey;
use kimberly_core::ports::{BoxFuture, DocumentEmbedder, NoVectors};

use crate::lanes::{EmbedError, Embedder, Lane};

/// Embeds in the bulk lane: texts of many calls share batches, and queries go first.
#[derive(Clone, Debug)]
pub struct Documents(Embedder);

impl Documents {
    /// Uses this model.
    pub const fn new(embedder: Embedder) -> Self {
        Self(embedder)
    }
}

impl DocumentEmbedder for Documents {
    fn model(&self) -> &ModelKey {
        self.0.key()
    }

    fn embed_documents(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, NoVectors>> {
        Box::pin(async move {
            self.0.embed(texts, Lane::Bulk).await.map_err(|error| match error {
                EmbedError::Stopping => NoVectors::Stopping,
                other => {
                    tracing::warn!(error = %other, "the model gave no vectors");
                    NoVectors::Failed(other.to_string())
                }
            })
        })
    }
}
