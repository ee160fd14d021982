//! The layer that every call passes before it is decoded: a span, its deadline, and a guard against panics. One layer
//! with one allocation per call; each concern has its own file.

mod deadline;
mod ending;
mod panics;
mod trace;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use kimberly_core::access::Caller;
use kimberly_runtime::Metrics;
use tonic::Status;
use tonic::body::Body;
use tower::{Layer, Service};
use tracing::Instrument as _;

pub use deadline::Deadline;
pub(crate) use trace::FAILURES;

use crate::access::{self, rules};
use crate::connections::Leaving;
use crate::front::Held;
use crate::paths;
use crate::refusals::Refusals;
use crate::status::{self, Limit};

type Request = http::Request<Body>;
type Response = http::Response<Body>;

/// Wraps every call. Cheap to clone; clones share their state.
#[derive(Clone, Debug)]
pub struct GuardLayer {
    metrics: Metrics,
    refusals: Option<Arc<Refusals>>,
}

impl GuardLayer {
    /// Guards and counts calls whose deadlines have started in `front`.
    pub fn new(metrics: Metrics) -> Self {
        Self { metrics, refusals: None }
    }

    /// Records the calls that it refuses.
    #[must_use]
    pub fn telling(self, refusals: Arc<Refusals>) -> Self {
        Self { refusals: Some(refusals), ..self }
    }
}

impl<S> Layer<S> for GuardLayer {
    type Service = Guard<S>;

    fn layer(&self, inner: S) -> Guard<S> {
        Guard { inner, layer: self.clone() }
    }
}

/// A service wrapped by a [`GuardLayer`].
#[derive(Clone, Debug)]
pub struct Guard<S> {
    inner: S,
    layer: GuardLayer,
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
        // The service that was polled ready must be the one called.
        let ready = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, ready);
        let layer = self.layer.clone();
        let span = trace::span(&request);
        Box::pin(async move { Ok(guarded(inner, request, &layer).await) }.instrument(span))
    }
}

async fn guarded<S>(mut inner: S, mut request: Request, layer: &GuardLayer) -> Response
where
    S: Service<Request, Response = Response, Error = Infallible>,
{
    let metrics = &layer.metrics;
    if let Err(refused) = layer.ruled(&mut request) {
        let answer = refused.into_http();
        trace::finished(&answer, metrics);
        return answer;
    }
    let path = request.uri().path();
    let deadline = request.extensions().get::<Deadline>().copied();
    let held = request.extensions().get::<Arc<Held>>().cloned();
    let leaving = request.extensions().get::<Leaving>().filter(|_| paths::of_libraries(path)).cloned();
    let (end, request) = match leaving {
        Some(leaving) => {
            let (end, request) = ending::prepare(leaving, request);
            (Some(end), request)
        }
        None => (None, request),
    };
    let answer = match bounded(deadline, panics::caught(inner.call(request))).await {
        Ok(Ok(Ok(response))) => in_our_words(response, held.as_deref()),
        Ok(Ok(Err(never))) => match never {},
        Ok(Err(panics::Panicked)) => status::internal().into_http(),
        Err(after) => status::deadline_exceeded(after).into_http(),
    };
    trace::finished(&answer, metrics);
    match end {
        Some(end) => ending::with(end, answer),
        None => answer,
    }
}

impl GuardLayer {
    /// Attaches its rule to a call. Refuses it unread if it has no rule, or if its caller may make it for no user.
    fn ruled(&self, request: &mut Request) -> Result<(), Status> {
        let path = request.uri().path();
        if paths::of_libraries(path) {
            return Ok(());
        }
        let rule = rules::of(path).ok_or_else(status::no_such_rpc)?;
        let caller = request.extensions().get::<Arc<Caller>>();
        rule.may_pass(caller.map(Arc::as_ref)).map_err(|refusal| {
            if let (Some(refusals), Some(caller)) = (&self.refusals, caller) {
                refusals.denied(caller.actor(), rule.rpc, None);
            }
            access::refused(refusal)
        })?;
        request.extensions_mut().insert(rule);
        Ok(())
    }
}

/// Returns the result of `work`, or the time after which the call was given up.
async fn bounded<T>(deadline: Option<Deadline>, work: impl Future<Output = T>) -> Result<T, Duration> {
    match deadline {
        Some(deadline) => deadline.bound(work).await,
        None => Ok(work.await),
    }
}

/// The transport stores its own refusals in the extensions of the response, or only in the headers.
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
