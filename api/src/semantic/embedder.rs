//! A client of the embedder's internal contract, on loopback.

use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use kimberly_core::embedding::ModelKey;
use kimberly_core::ports::NoVector;
use kimberly_proto::internal::embedder_service_client::EmbedderServiceClient;
use kimberly_proto::internal::{EmbedRequest, Purpose};
use kimberly_runtime::Failure;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request};

use super::queries::Embed;
use crate::InternalToken;

/// Timeout for connecting. On loopback this takes no time, or nothing listens.
const CONNECT: Duration = Duration::from_secs(1);

/// A connection to the embedder, opened on first use and reopened whenever it breaks.
#[derive(Clone, Debug)]
pub(super) struct Embedder(EmbedderServiceClient<InterceptedService<Channel, InternalToken>>);

impl Embedder {
    pub(super) fn new(address: SocketAddr, token: InternalToken) -> Result<Self, Failure> {
        Ok(Self(EmbedderServiceClient::with_interceptor(connection(address)?, token)))
    }
}

/// A connection that is opened on first use.
pub(super) fn connection(address: SocketAddr) -> Result<Channel, Failure> {
    let endpoint = Endpoint::from_shared(format!("http://{address}"))?.connect_timeout(CONNECT).tcp_nodelay(true);
    Ok(endpoint.connect_lazy())
}

#[async_trait]
impl Embed for Embedder {
    async fn embed(&self, model: &ModelKey, text: &str, within: Duration) -> Result<Vec<f32>, NoVector> {
        let mut request = Request::new(EmbedRequest {
            texts: vec![text.to_owned()],
            purpose: Purpose::Query.into(),
            model: model.slug(),
        });
        request.set_timeout(within);
        let answer = self.0.clone().embed(request).await.map_err(|status| match status.code() {
            Code::NotFound => NoVector::NoSuchModel,
            Code::DeadlineExceeded => NoVector::TimedOut,
            _ => NoVector::Unavailable,
        })?;
        let answer = answer.into_inner();
        let of_model = answer.model.is_some_and(|key| key.id == model.id() && key.version == model.version());
        let vector = answer.vectors.into_iter().next().map(|vector| vector.values).unwrap_or_default();
        let fits = of_model && vector.len() == model.dimension() as usize && vector.iter().all(|x| x.is_finite());
        if fits { Ok(vector) } else { Err(NoVector::Unavailable) }
    }
}
