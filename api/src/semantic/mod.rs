//! Vectors for recall: the indexes that the embedder writes, and the vectors of queries that it computes.
//!
//! The embedder never makes a recall fail or wait for long. `queries` bounds the wait, caches computed vectors, and
//! skips the embedder while it is absent or slow. `embedder` is the client.

mod embedder;
mod queries;

use std::sync::Arc;

use kimberly_core::ports::VectorReader;
use kimberly_core::usecases::SemanticRecall;
use kimberly_runtime::{Config, Failure};

use self::embedder::Embedder;
use self::queries::Queries;
use crate::InternalToken;

/// Creates the semantic part of recall. The token is presented to the embedder.
pub fn recall(
    config: &Config,
    token: InternalToken,
    vectors: Arc<dyn VectorReader>,
) -> Result<SemanticRecall, Failure> {
    let embedder = Embedder::new(config.embedder.listen, token)?;
    let queries = Queries::new(embedder, config.recall.embed_deadline.0, config.recall.cached_queries);
    Ok(SemanticRecall { vectors, embedder: Arc::new(queries), fusion: config.recall.fusion() })
}
