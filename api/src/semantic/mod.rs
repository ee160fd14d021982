//! What the embedder adds to recall: the indexes of vectors that it writes, the vectors of queries that it computes, and
//! the scores of its cross-encoder.
//!
//! The embedder never makes a recall fail or wait for long. `queries` bounds the wait, caches computed vectors, and
//! skips the embedder while it is absent or slow. `embedder` is the client. `reranker` asks for scores, and
//! waits for each at most its deadline.

mod embedder;
mod queries;
mod reranker;

use std::sync::Arc;

use kimberly_core::ports::{CrossEncoder, VectorReader};
use kimberly_core::usecases::SemanticRecall;
use kimberly_runtime::{Config, Failure};

use self::embedder::Embedder;
use self::queries::Queries;
use self::reranker::Reranker;
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

/// Creates the client of the cross-encoder; `None` if none is configured.
pub fn cross_encoder(config: &Config, token: InternalToken) -> Result<Option<Arc<dyn CrossEncoder>>, Failure> {
    if config.rerank.model.is_none() {
        return Ok(None);
    }
    Ok(Some(Arc::new(Reranker::new(config.embedder.listen, token, config.rerank.deadline.0)?)))
}
