//! Logs, metrics and traces. Everything stays in the process unless the operator configures an endpoint.
//!
//! Ids only: no memory text in any log, span or metric, and no user ids in metric labels.

mod embedding;
mod export;
mod logs;
mod metrics;
mod observer;
mod prometheus;
mod snapshot;
mod trace_context;

#[cfg(test)]
mod tests;

use opentelemetry_sdk::trace::SdkTracerProvider;

pub use metrics::Metrics;
pub use trace_context::{current_traceparent, follow};

use crate::config::{Environment, TelemetryConfig};
use crate::{Boot, Failure, MainResult};

/// The telemetry of a process.
pub(crate) struct Telemetry {
    metrics: Metrics,
    registry: Option<::prometheus::Registry>,
    tracer: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Starts logs and metrics, and exporters if an endpoint is configured. Call inside the tokio runtime.
    pub(crate) fn start(process: &'static str, config: &TelemetryConfig, env: &Environment) -> Result<Self, Failure> {
        let tracer = export::tracer(process, config)?;
        logs::install(process, config, env, tracer.as_ref())?;
        let (registry, pull) = prometheus::reader(config)?;
        let push = export::metrics(config)?;
        Ok(Self { metrics: Metrics::new(process, pull, push), registry, tracer })
    }

    pub(crate) const fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Serves metrics in Prometheus' text format, if configured.
    pub(crate) fn serve_prometheus(&self, boot: &Boot) -> MainResult {
        match (&self.registry, boot.config.telemetry.prometheus_listen) {
            (Some(registry), Some(first)) => prometheus::serve(registry.clone(), first, boot),
            _ => Ok(()),
        }
    }

    /// Flushes pending telemetry, within a bound.
    pub(crate) fn stop(&self) {
        self.metrics.stop();
        if let Some(Err(error)) = self.tracer.as_ref().map(SdkTracerProvider::shutdown) {
            tracing::debug!("the last traces were not sent: {error}");
        }
    }
}
