//! The cross-encoder that the embedder runs, as an implementation of core's port.

use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use kimberly_core::ports::{CrossEncoder, NoScores};
use kimberly_proto::internal::RerankRequest;
use kimberly_proto::internal::reranker_service_client::RerankerServiceClient;
use kimberly_runtime::Failure;
use tokio::time::timeout;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use super::embedder::connection;
use crate::InternalToken;

/// A connection to the embedder, opened on first use and reopened whenever it breaks.
pub(super) struct Reranker {
    client: RerankerServiceClient<InterceptedService<Channel, InternalToken>>,
    deadline: Duration,
}

impl Reranker {
    pub(super) fn new(address: SocketAddr, token: InternalToken, deadline: Duration) -> Result<Self, Failure> {
        Ok(Self { client: RerankerServiceClient::with_interceptor(connection(address)?, token), deadline })
    }
}

#[async_trait]
impl CrossEncoder for Reranker {
    async fn scores(&self, query: &str, texts: &[String]) -> Result<Vec<f32>, NoScores> {
        let mut request = Request::new(RerankRequest { query: query.to_owned(), texts: texts.to_vec() });
        // Tells the embedder when to stop; this side stops waiting by its own clock.
        request.set_timeout(self.deadline);
        let mut client = self.client.clone();
        let answer = timeout(self.deadline, client.rerank(request)).await.map_err(|_| NoScores::TimedOut)?;
        let scores = answer.map_err(|status| reason(&status))?.into_inner().scores;
        let fits = scores.len() == texts.len() && scores.iter().all(|score| score.is_finite());
        if fits { Ok(scores) } else { Err(NoScores::Unavailable) }
    }
}

fn reason(status: &Status) -> NoScores {
    match status.code() {
        Code::DeadlineExceeded | Code::Cancelled => NoScores::TimedOut,
        _ => NoScores::Unavailable,
    }
}
