//! Checks that apply to a call in any dialect before its body is read: the rate of its credential, and its deadline,
//! which starts here.

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use http::StatusCode;
use kimberly_runtime::Metrics;
use kimberly_runtime::config::Config;
use tonic::Status;
use tonic::body::Body;
use tower::{Layer, Service};

use super::dialect;
use crate::calls::{Credential, Rate};
use crate::layers::Deadline;
use crate::{paths, status};

/// The timeout of calls that send a stream. In effect there is none: such a call ends when its caller is done.
const STREAM_TIMEOUT: Duration = Duration::from_hours(24 * 365);

type Request = http::Request<Body>;
type Response = http::Response<Body>;

/// Enforces the rates of credentials and starts deadlines. Cheap to clone; clones share their state.
#[derive(Clone, Debug)]
pub(crate) struct GateLayer(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    rate: Rate,
    default_timeout: Duration,
    metrics: Metrics,
}

impl GateLayer {
    /// Creates the layer with the configured bounds.
    pub(crate) fn new(config: &Config, metrics: Metrics) -> Self {
        let rate = Rate::new(config.limits.credential_calls_per_second, config.limits.credential_burst);
        Self(Arc::new(Shared { rate, default_timeout: config.api.request_timeout.0, metrics }))
    }
}

impl Shared {
    fn within_rate(&self, request: &Request) -> Result<(), Status> {
        if paths::always_served(request.uri().path()) {
            return Ok(());
        }
        self.rate.check(&Credential::of(request.extensions())).map_err(|after| {
            self.metrics.add("grpc.refused", 1);
            self.metrics.add("grpc.refused.credential_rate", 1);
            status::rate_limited("credential", after)
        })
    }

    fn deadline(&self, request: &Request) -> Deadline {
        let streams = paths::streams_in(request.uri().path());
        Deadline::of(request, if streams { STREAM_TIMEOUT } else { self.default_timeout })
    }
}

impl<S> Layer<S> for GateLayer {
    type Service = Gate<S>;

    fn layer(&self, inner: S) -> Gate<S> {
        Gate { inner, shared: Arc::clone(&self.0) }
    }
}

/// A service wrapped by a [`GateLayer`].
#[derive(Clone, Debug)]
pub(crate) struct Gate<S> {
    inner: S,
    shared: Arc<Shared>,
}

impl<S> Service<Request> for Gate<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        if let Err(status) = self.shared.within_rate(&request) {
            let refused = dialect::refused(&request, status, StatusCode::TOO_MANY_REQUESTS);
            return Box::pin(ready(Ok(refused)));
        }
        let deadline = self.shared.deadline(&request);
        // A JSON body is read before the guard, which enforces the deadlines of all other calls.
        let bounded_here = dialect::is_json(&request) && deadline.of_caller().is_some();
        request.extensions_mut().insert(deadline);
        let answer = self.inner.call(request);
        if !bounded_here {
            return Box::pin(answer);
        }
        Box::pin(async move {
            let late = |after| status::as_json(&status::deadline_exceeded(after), StatusCode::GATEWAY_TIMEOUT);
            deadline.bound(answer).await.unwrap_or_else(|after| Ok(late(after)))
        })
    }
}
