//! `Rerank`: validates the bounds and scores texts.

use kimberly_proto::internal::reranker_service_server::RerankerService;
use kimberly_proto::internal::{RerankRequest, RerankResponse};
use tonic::{Request, Response, Status};

use super::status::{self, Refusal};
use crate::reranker::Reranker;

/// Maximum texts per call.
const MAX_TEXTS: usize = 100;
/// Maximum total bytes of a call's query and texts.
const MAX_BYTES: usize = 1 << 20;

/// Serves [`RerankerService`].
pub(super) struct Rerank(pub(super) Reranker);

#[tonic::async_trait]
impl RerankerService for Rerank {
    async fn rerank(&self, request: Request<RerankRequest>) -> Result<Response<RerankResponse>, Status> {
        rerank(&self.0, request.into_inner()).await.map(Response::new).map_err(status::of)
    }
}

async fn rerank(reranker: &Reranker, request: RerankRequest) -> Result<RerankResponse, Refusal> {
    let RerankRequest { query, texts } = request;
    let (count, bytes) = (texts.len(), query.len() + texts.iter().map(String::len).sum::<usize>());
    if count == 0 || count > MAX_TEXTS || bytes > MAX_BYTES {
        return Err(Refusal::Invalid(format!(
            "there are {count} texts, {bytes} bytes with the query; 1 to {MAX_TEXTS} of at most {MAX_BYTES} in all are \
             allowed"
        )));
    }
    let scores =
        reranker.scores(query, texts).await.inspect_err(|error| tracing::warn!("texts have no scores: {error}"));
    Ok(RerankResponse { scores: scores? })
}
