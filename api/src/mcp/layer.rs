//! Serves requests to `/mcp`, and passes on all others.
//!
//! `front` has checked the caller and the origin: it refuses foreign origins and hosts, and invalid credentials.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::{BoxFuture, Either};
use http::{Request, Response};
use kimberly_core::memory::DraftLimits;
use kimberly_runtime::config::Config;
use kimberly_transcode::Options;
use serde_json::Value;
use tonic::body::Body;
use tower::util::BoxCloneSyncService;
use tower::{Layer, Service};
use tracing::Instrument as _;

use super::server::Server;
use super::{PATH, batch, body};
use crate::rest;

/// Serves MCP in front of the services that its tools call. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct McpLayer {
    options: Arc<Options>,
    /// Whether callers use TLS.
    secured: bool,
    limits: DraftLimits,
}

impl McpLayer {
    /// Creates the layer with the bounds of JSON requests and of contents.
    pub(crate) fn new(config: &Config, limits: DraftLimits) -> Self {
        Self { options: Arc::new(rest::options(&config.api)), secured: config.tls.is_on(), limits }
    }
}

impl<S> Layer<S> for McpLayer
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
{
    type Service = Mcp<S>;

    fn layer(&self, inner: S) -> Mcp<S> {
        let server = Server::new(BoxCloneSyncService::new(inner.clone()), self.secured, self.limits);
        Mcp { inner, server, options: Arc::clone(&self.options) }
    }
}

/// A service wrapped by an [`McpLayer`].
#[derive(Clone)]
pub(crate) struct Mcp<S> {
    inner: S,
    server: Server,
    options: Arc<Options>,
}

impl<S> Service<Request<Body>> for Mcp<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, BoxFuture<'static, Result<Response<Body>, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if request.uri().path().strip_suffix('/').unwrap_or(request.uri().path()) != PATH {
            return Either::Left(self.inner.call(request));
        }
        let (server, options) = (self.server.clone(), Arc::clone(&self.options));
        // A task of its own: a tool of several steps ends even if its caller is gone, and a panic ends this call alone.
        let serving = tokio::spawn(async move { served(&server, request, &options).await }.in_current_span());
        Either::Right(Box::pin(async move { Ok(serving.await.unwrap_or_else(|_| body::broken())) }))
    }
}

async fn served(server: &Server, request: Request<Body>, options: &Options) -> Response<Body> {
    match body::read(request, options).await {
        Ok((parts, Value::Array(messages))) => body::answered(batch::reply(server, parts, messages).await),
        Ok((parts, message)) => body::answered(server.reply(parts, message).await),
        Err(refused) => refused,
    }
}
