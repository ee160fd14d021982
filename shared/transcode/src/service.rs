//! The tower layer in front of gRPC services.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt as _;
use futures::future::{BoxFuture, Either};
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use tonic::body::Body;
use tower::{Layer, Service};

use crate::Transcoder;

/// Puts a [`Transcoder`] in front of gRPC services. Cheap to clone.
#[derive(Clone, Debug)]
pub struct TranscodeLayer {
    transcoder: Arc<Transcoder>,
}

impl TranscodeLayer {
    /// Creates the layer for a transcoder.
    pub fn new(transcoder: Transcoder) -> Self {
        Self { transcoder: Arc::new(transcoder) }
    }
}

impl<S> Layer<S> for TranscodeLayer {
    type Service = Transcode<S>;

    fn layer(&self, inner: S) -> Transcode<S> {
        Transcode { inner, transcoder: Arc::clone(&self.transcoder) }
    }
}

/// A gRPC service that also accepts JSON over HTTP.
#[derive(Clone, Debug)]
pub struct Transcode<S> {
    inner: S,
    transcoder: Arc<Transcoder>,
}

impl<S> Service<Request<Body>> for Transcode<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, BoxFuture<'static, Result<Response<Body>, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let kind = request.headers().get(CONTENT_TYPE);
        if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc")) {
            return Either::Left(self.inner.call(request));
        }
        // Takes the instance that was polled ready, since only that one may be called.
        let ready = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, ready);
        let transcoder = Arc::clone(&self.transcoder);
        Either::Right(Box::pin(async move {
            // Inner layers catch their own panics. This catches those of transcoding.
            let served = AssertUnwindSafe(Arc::clone(&transcoder).serve(inner, request)).catch_unwind().await;
            Ok(served.unwrap_or_else(|_| transcoder.panicked()))
        }))
    }
}
