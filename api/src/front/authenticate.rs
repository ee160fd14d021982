//! Authenticates the caller of a request in any dialect, before anything else of the request is read.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use kimberly_core::Error;
use kimberly_runtime::Metrics;
use tonic::body::Body;
use tower::{Layer, Service};

use super::dialect;
use crate::auth::{Auth, Session};
use crate::refusals::Refusals;
use crate::{paths, status};

type Request = http::Request<Body>;
type Response = http::Response<Body>;

/// Adds the caller to every request, and refuses unknown callers. Paths that are always served are open to all.
#[derive(Clone, Debug)]
pub(crate) struct AuthenticateLayer {
    auth: Arc<Auth>,
    metrics: Metrics,
    refusals: Arc<Refusals>,
}

impl AuthenticateLayer {
    pub(crate) fn new(auth: Arc<Auth>, metrics: Metrics, refusals: Arc<Refusals>) -> Self {
        Self { auth, metrics, refusals }
    }
}

impl<S> Layer<S> for AuthenticateLayer {
    type Service = Authenticate<S>;

    fn layer(&self, inner: S) -> Authenticate<S> {
        Authenticate { inner, layer: self.clone() }
    }
}

/// A service wrapped by an [`AuthenticateLayer`].
#[derive(Clone, Debug)]
pub(crate) struct Authenticate<S> {
    inner: S,
    layer: AuthenticateLayer,
}

impl<S> Service<Request> for Authenticate<S>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        if paths::always_served(request.uri().path()) {
            request.headers_mut().remove(AUTHORIZATION);
            return Box::pin(self.inner.call(request));
        }
        // The service that was polled ready must be the one called.
        let ready = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, ready);
        let layer = self.layer.clone();
        Box::pin(async move {
            match layer.auth.authenticate(request.headers(), request.extensions().get()).await {
                Ok(session) => {
                    // Inner layers do not need the secret.
                    request.headers_mut().remove(AUTHORIZATION);
                    put(&mut request, session);
                    inner.call(request).await
                }
                Err(error) => Ok(layer.refused(&request, error)),
            }
        })
    }
}

fn put(request: &mut Request, session: Session) {
    request.extensions_mut().insert(Arc::clone(session.caller()));
    request.extensions_mut().insert(session);
}

impl AuthenticateLayer {
    fn refused(&self, request: &Request, error: Error) -> Response {
        let unknown = matches!(error, Error::Unauthenticated);
        let http = if unknown { StatusCode::UNAUTHORIZED } else { StatusCode::SERVICE_UNAVAILABLE };
        if unknown {
            self.metrics.add("grpc.refused.unauthenticated", 1);
            self.refusals.unknown();
        }
        let mut response = dialect::refused(request, status::status(error), http);
        if unknown {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
