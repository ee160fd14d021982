//! Vectors for recall: the indices that the embedder writes, and vectors of queries, which it is asked for.
//!
//! A recall never fails and never waits for long because of the embedder: `queries` bounds the wait, keeps what was
//! computed, and passes the embedder over while it is away or slow; `embedder` speaks to it.

mod embedder;
mod queries;

use std::sync::Arc;

use kimberly_core::ports::VectorReader;
use kimberly_core::usecases::SemanticRecall;
use kimberly_runtime::{Config, Failure};

use self::embedder::Embedder;
use self::queries::Queries;
use crate::InternalToken;

/// What recall needs for vectors; the embedder is shown the token.
pub fn recall(
    config: &Config,
    token: InternalToken,
    vectors: Arc<dyn VectorReader>,
) -> Result<SemanticRecall, Failure> {
    let embedder = Embedder::new(config.embedder.listen, token)?;
    let queries = Queries::new(embedder, config.recall.embed_deadline.0, config.recall.cached_queries);
    Ok(SemanticRecall { vectors, embedder: Arc::new(queries), fusion: config.recall.fusion() })
}
