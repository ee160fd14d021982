//! Serves requests to `/mcp`, and passes on all others.
//!
//! `front` has checked the caller and the origin: it refuses foreign origins and hosts, and invalid credentials. The
//! transport's own check of hosts, which accepts only loopback, is therefore off.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::{BoxFuture, Either};
use http::{Request, Response};
use kimberly_core::memory::DraftLimits;
use kimberly_runtime::config::Config;
use kimberly_transcode::Options;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tonic::body::Body;
use tower::util::BoxCloneSyncService;
use tower::{Layer, Service};

use super::body::Read;
use super::call::Services;
use super::server::Server;
use super::{PATH, batch, body};
use crate::rest;

pub(super) type Transport = StreamableHttpService<Server, NeverSessionManager>;

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

    fn transport(&self, services: Services) -> Transport {
        let server = Server::new(services, self.secured, self.limits);
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(self.options.max_body_bytes);
        StreamableHttpService::new(move || Ok(server.clone()), Arc::default(), config)
    }
}

impl<S> Layer<S> for McpLayer
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
{
    type Service = Mcp<S>;

    fn layer(&self, inner: S) -> Mcp<S> {
        let transport = self.transport(BoxCloneSyncService::new(inner.clone()));
        Mcp { inner, transport, options: Arc::clone(&self.options) }
    }
}

/// A service wrapped by an [`McpLayer`].
#[derive(Clone)]
pub(crate) struct Mcp<S> {
    inner: S,
    transport: Transport,
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
        let (transport, options) = (self.transport.clone(), Arc::clone(&self.options));
        Either::Right(Box::pin(async move { Ok(served(&transport, request, &options).await) }))
    }
}

async fn served(transport: &Transport, request: Request<Body>, options: &Options) -> Response<Body> {
    match body::read(request, options).await {
        Ok(Read::One(request, id)) => body::answered(transport.handle(request).await, &id),
        Ok(Read::Batch(parts, messages)) => batch::answered(transport, parts, messages).await,
        Err(refused) => refused,
    }
}
