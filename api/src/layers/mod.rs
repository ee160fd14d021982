//! What every call passes through before it is decoded: a span, its credential's rate, a deadline, and a net under panics.
//! One layer with one allocation per call; each concern in a file of its own.

mod deadline;
mod panics;
mod trace;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use kimberly_runtime::Metrics;
use kimberly_runtime::config::Config;
use tonic::Status;
use tonic::body::Body;
use tower::{Layer, Service};
use tracing::Instrument as _;

pub use deadline::Deadline;

use crate::calls::{Credential, Rate};
use crate::front::Held;
use crate::paths;
use crate::status::{self, Limit};

/// A call that sends a stream ends when its caller is done; this is for ever.
const STREAM_TIMEOUT: Duration = Duration::from_hours(24 * 365);

type Request = http::Request<Body>;
type Response = http::Response<Body>;

/// Wraps every call. Cloning is cheap; clones share their state.
#[derive(Clone, Debug)]
pub struct GuardLayer {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    rate: Rate,
    default_timeout: Duration,
    metrics: Metrics,
}

impl GuardLayer {
    /// Holds calls to the bounds of the configuration.
    pub fn new(config: &Config, metrics: Metrics) -> Self {
        let rate = Rate::new(config.limits.credential_calls_per_second, config.limits.credential_burst);
        Self { shared: Arc::new(Shared { rate, default_timeout: config.api.request_timeout.0, metrics }) }
    }
}

impl<S> Layer<S> for GuardLayer {
    type Service = Guard<S>;

    fn layer(&self, inner: S) -> Guard<S> {
        Guard { inner, shared: Arc::clone(&self.shared) }
    }
}

/// A service behind a [`GuardLayer`].
#[derive(Clone, Debug)]
pub struct Guard<S> {
    inner: S,
    shared: Arc<Shared>,
}

impl<S> Service<Request> for Guard<S>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        // The service that was polled ready must be the one that is called.
        let ready = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, ready);
        let shared = Arc::clone(&self.shared);
        let span = trace::span(&request);
        Box::pin(async move { Ok(guarded(inner, request, &shared).await) }.instrument(span))
    }
}

async fn guarded<S>(mut inner: S, mut request: Request, shared: &Shared) -> Response
where
    S: Service<Request, Response = Response, Error = Infallible>,
{
    let path = request.uri().path();
    if let Err(refused) = shared.within_rate(path, &request) {
        return refused.into_http();
    }
    let timeout = if paths::streams_in(path) { STREAM_TIMEOUT } else { shared.default_timeout };
    let deadline = Deadline::of(&request, timeout);
    request.extensions_mut().insert(deadline);
    let held = request.extensions().get::<Arc<Held>>().cloned();
    let answer = match deadline.bound(panics::caught(inner.call(request))).await {
        Ok(Ok(Ok(response))) => in_our_words(response, held.as_deref()),
        Ok(Ok(Err(never))) => match never {},
        Ok(Err(panics::Panicked)) => status::internal().into_http(),
        Err(after) => status::deadline_exceeded(after).into_http(),
    };
    trace::finished(&answer, &shared.metrics);
    answer
}

impl Shared {
    fn within_rate(&self, path: &str, request: &Request) -> Result<(), Status> {
        if paths::always_served(path) {
            return Ok(());
        }
        self.rate.check(&Credential::of(request.headers())).map_err(|after| {
            self.metrics.add("grpc.refused", 1);
            self.metrics.add("grpc.refused.credential_rate", 1);
            status::rate_limited("credential", after)
        })
    }
}

/// The transport leaves what it refused by itself in the extensions of the response, or in its headers alone.
fn in_our_words(response: Response, held: Option<&Held>) -> Response {
    let refused = match response.extensions().get::<Status>() {
        Some(refused) => status::refused_by_transport(refused),
        None => Status::from_header_map(response.headers()).as_ref().and_then(status::refused_by_transport),
    };
    match refused {
        None => response,
        Some(_) if held.is_some_and(Held::refused) => status::overloaded(Limit::Bytes).into_http(),
        Some(said) => said.into_http(),
    }
}

#[cfg(test)]
mod tests;
