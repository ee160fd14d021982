//! A span for every call, and counters of calls and failures. They contain ids, but no user ids and no text.

use http::HeaderMap;
use kimberly_runtime::Metrics;
use tonic::{Code, Status};
use tracing::Span;
use tracing::field::Empty;

use crate::trace_context::{HEADER, is_valid};

/// Creates the span of a call, a child of the caller's span if it sent a trace context.
pub(super) fn span<B>(request: &http::Request<B>) -> Span {
    let path = request.uri().path().trim_start_matches('/');
    let span = tracing::info_span!("call", rpc = path, code = Empty);
    let parent = request.headers().get(HEADER).and_then(|raw| raw.to_str().ok()).filter(|raw| is_valid(raw));
    kimberly_runtime::telemetry::follow(&span, parent);
    span
}

/// The metric that counts calls that failed because of the server.
pub(crate) const FAILURES: &str = "grpc.failures";

/// Records how a call ended. For a call that streams, records how it started.
pub(super) fn finished<B>(response: &http::Response<B>, metrics: &Metrics) {
    let code = code(response.headers());
    Span::current().record("code", tracing::field::debug(code));
    metrics.add("grpc.calls", 1);
    if matches!(code, Code::Internal | Code::DataLoss | Code::Unavailable | Code::DeadlineExceeded | Code::Unknown) {
        metrics.add(FAILURES, 1);
    }
}

fn code(headers: &HeaderMap) -> Code {
    headers.get(Status::GRPC_STATUS).map_or(Code::Ok, |raw| Code::from_bytes(raw.as_bytes()))
}
