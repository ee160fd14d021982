//! A service that is built for its first call, to save the memory of one that few callers use.

use std::convert::Infallible;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};

use http::{Request, Response};
use tonic::body::Body;
use tonic::server::NamedService;
use tower::Service;

/// A service that is built for its first call.
pub(crate) struct Late<S>(Arc<LazyLock<S, fn() -> S>>);

impl<S> Late<S> {
    pub(crate) fn new(make: fn() -> S) -> Self {
        Self(Arc::new(LazyLock::new(make)))
    }
}

impl<S> Clone for Late<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: NamedService> NamedService for Late<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for Late<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = S::Future;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> S::Future {
        // A generated server is always ready.
        S::clone(&self.0).call(request)
    }
}
