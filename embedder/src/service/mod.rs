//! The process's gRPC services: health always, and the internal services of other Kimberly processes: if a model is
//! configured, they embed texts and store vectors computed elsewhere; if a cross-encoder is, they score texts.

mod describe;
mod embed;
mod guard;
mod rerank;
mod status;
mod store;

use std::sync::Arc;
use std::time::Duration;

use guard::Guard;
use kimberly_core::embedding::ModelKey;
use kimberly_crypto::Keys;
use kimberly_proto::internal;
use kimberly_proto::internal::embedder_service_server::{EmbedderService, EmbedderServiceServer};
use kimberly_proto::internal::reranker_service_server::RerankerServiceServer;
use kimberly_proto::internal::vector_service_server::VectorServiceServer;
use kimberly_runtime::{MainResult, Shutdown};
use tokio::net::TcpListener;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};
use tonic_health::ServingStatus;

pub use store::Store;

use crate::models::Models;
use crate::reranker::Reranker;

/// Maximum duration of a call, whatever deadline the caller sets.
const LONGEST_CALL: Duration = Duration::from_mins(5);
/// Concurrent calls per connection.
const MAX_STREAMS: u32 = 256;
/// Maximum size of a request for vectors or scores, framing included.
const MAX_TEXTS: usize = 2 << 20;
/// Maximum size of a request to store vectors: the bounds of an upload times the largest dimension.
const MAX_VECTORS: usize = 32 << 20;

/// Serves on `listener` until a stop is requested: health for all clients, the rest for those that present the token
/// of these keys. Connections that stay open are dropped after the soft bound.
pub async fn serve(
    listener: TcpListener,
    services: Option<(Models, Store)>,
    reranker: Option<Reranker>,
    keys: Keys,
    shutdown: Shutdown,
) -> MainResult {
    let (reporter, health) = tonic_health::server::health_reporter();
    let stop = shutdown.token();
    let (models, store) = services.unzip();
    let guard = Guard::new(keys);
    let embedder = models.map(|models| {
        let service = EmbedderServiceServer::new(Internal { models: Arc::new(models) });
        InterceptedService::new(service.max_decoding_message_size(MAX_TEXTS), guard.clone())
    });
    let store = store.map(|store| {
        InterceptedService::new(VectorServiceServer::new(store).max_decoding_message_size(MAX_VECTORS), guard.clone())
    });
    let reranker = reranker.map(|reranker| {
        let service = RerankerServiceServer::new(rerank::Rerank(reranker));
        InterceptedService::new(service.max_decoding_message_size(MAX_TEXTS), guard.clone())
    });
    let server = Server::builder()
        .timeout(LONGEST_CALL)
        .max_concurrent_streams(MAX_STREAMS)
        .add_service(health)
        .add_optional_service(embedder)
        .add_optional_service(store)
        .add_optional_service(reranker)
        .serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), async {
            stop.cancelled().await;
            reporter.set_service_status("", ServingStatus::NotServing).await;
        });
    tokio::select! {
        ended = server => Ok(ended?),
        () = shutdown.overdue() => Ok(()),
    }
}

/// The internal service.
struct Internal {
    models: Arc<Models>,
}

#[tonic::async_trait]
impl EmbedderService for Internal {
    async fn embed(
        &self,
        request: Request<internal::EmbedRequest>,
    ) -> Result<Response<internal::EmbedResponse>, Status> {
        embed::embed(&self.models, request.into_inner()).await.map(Response::new).map_err(status::of)
    }

    async fn describe_models(
        &self,
        _: Request<internal::DescribeModelsRequest>,
    ) -> Result<Response<internal::DescribeModelsResponse>, Status> {
        Ok(Response::new(describe::describe(&self.models)))
    }
}

/// A key in its wire form.
fn key(key: &ModelKey) -> internal::ModelKey {
    internal::ModelKey { id: key.id().to_owned(), version: key.version().to_owned(), dimension: key.dimension() }
}
