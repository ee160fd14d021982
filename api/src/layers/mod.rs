//! What every call passes through before it is decoded: a span, its credential's rate, room for its request, a deadline,
//! and a net under panics. One layer with one allocation per call; each concern in a file of its own.

mod deadline;
mod panics;
mod paths;
mod room;
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
pub(crate) use room::Held;

use crate::calls::{Credential, Rate};
use crate::status::{self, Limit};
use room::Room;

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
    room: Arc<Room>,
    rate: Rate,
    default_timeout: Duration,
    metrics: Metrics,
}

impl GuardLayer {
    /// Holds calls to the bounds of the configuration.
    pub fn new(config: &Config, metrics: Metrics) -> Self {
        let room = Room::new(&config.api);
        let rate = Rate::new(config.limits.credential_calls_per_second, config.limits.credential_burst);
        Self { shared: Arc::new(Shared { room, rate, default_timeout: config.api.request_timeout.0, metrics }) }
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
    // Kept until there is an answer.
    let held = match shared.admit(&request) {
        Ok(held) => held,
        Err(refused) => return refused.into_http(),
    };
    let streams_in = paths::streams_in(request.uri().path());
    if let Some(held) = held.as_ref().filter(|_| !streams_in) {
        request.extensions_mut().insert(Arc::clone(held));
        request = request.map(|body| room::counted(body, Arc::clone(held)));
    }
    let deadline = Deadline::of(&request, if streams_in { STREAM_TIMEOUT } else { shared.default_timeout });
    request.extensions_mut().insert(deadline);
    let answer = match deadline.bound(panics::caught(inner.call(request))).await {
        Ok(Ok(Ok(response))) => in_our_words(response),
        Ok(Ok(Err(never))) => match never {},
        Ok(Err(panics::Panicked)) => status::internal().into_http(),
        Err(after) => status::deadline_exceeded(after).into_http(),
    };
    trace::finished(&answer, &shared.metrics);
    drop(held);
    answer
}

impl Shared {
    /// Room for a request, unless its credential called too often; `None` for calls that need none.
    fn admit(&self, request: &Request) -> Result<Option<Arc<Held>>, Status> {
        if paths::always_served(request.uri().path()) {
            return Ok(None);
        }
        self.rate.check(&Credential::of(request.headers())).map_err(|after| {
            self.refused("grpc.refused.credential_rate");
            status::rate_limited("credential", after)
        })?;
        let held = self.room.take(request).ok_or_else(|| {
            self.refused("grpc.refused.room");
            status::overloaded(Limit::Server)
        })?;
        Ok(Some(held))
    }

    fn refused(&self, reason: &'static str) {
        self.metrics.add("grpc.refused", 1);
        self.metrics.add(reason, 1);
    }
}

/// The transport leaves what it refused by itself in the extensions of the response.
fn in_our_words(response: Response) -> Response {
    let refused = response.extensions().get::<Status>().and_then(status::refused_by_transport);
    refused.map_or(response, Status::into_http)
}

#[cfg(test)]
mod tests;
