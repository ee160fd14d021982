//! Carries a trace from the request that caused a job to the worker that runs it, as a W3C `traceparent`.

use std::collections::HashMap;

use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

const FIELD: &str = "traceparent";

/// The `traceparent` of the current span; `None` when traces are not exported.
pub fn current_traceparent() -> Option<String> {
    let mut carrier = HashMap::new();
    TraceContextPropagator::new().inject_context(&Span::current().context(), &mut carrier);
    carrier.remove(FIELD)
}

/// Makes `span` a child of the span that `traceparent` names. Ignores malformed values.
pub fn follow(span: &Span, traceparent: Option<&str>) {
    if let Some(parent) = traceparent {
        let carrier = HashMap::from([(FIELD.to_owned(), parent.to_owned())]);
        let _ = span.set_parent(TraceContextPropagator::new().extract(&carrier));
    }
}
