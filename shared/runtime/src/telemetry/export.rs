//! OTLP over gRPC to the configured endpoint, and nowhere else.

use opentelemetry_otlp::{MetricExporter, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::PeriodicReader;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};

use crate::Failure;
use crate::config::TelemetryConfig;

/// Identifies the process to receivers of its telemetry.
pub(super) fn resource(process: &'static str) -> Resource {
    let version = opentelemetry::KeyValue::new("service.version", crate::VERSION);
    Resource::builder_empty().with_service_name(process).with_attribute(version).build()
}

/// The tracer, if an endpoint is configured.
pub(super) fn tracer(process: &'static str, config: &TelemetryConfig) -> Result<Option<SdkTracerProvider>, Failure> {
    let Some(endpoint) = &config.otlp_endpoint else { return Ok(None) };
    let exporter = SpanExporter::builder()
        .with_tonic()
        .with_endpoint(endpoint)
        .build()
        .map_err(|error| unusable(endpoint, &error.to_string()))?;
    let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(config.trace_ratio)));
    let provider = SdkTracerProvider::builder()
        .with_resource(resource(process))
        .with_sampler(sampler)
        .with_batch_exporter(exporter)
        .build();
    Ok(Some(provider))
}

/// The reader that exports metrics, if an endpoint is configured.
pub(super) fn metrics(config: &TelemetryConfig) -> Result<Option<PeriodicReader<MetricExporter>>, Failure> {
    let Some(endpoint) = &config.otlp_endpoint else { return Ok(None) };
    let exporter = MetricExporter::builder()
        .with_tonic()
        .with_endpoint(endpoint)
        .build()
        .map_err(|error| unusable(endpoint, &error.to_string()))?;
    Ok(Some(PeriodicReader::builder(exporter).with_interval(config.otlp_interval.0).build()))
}

fn unusable(endpoint: &str, error: &str) -> Failure {
    Failure::configuration(format!("telemetry.otlp_endpoint {endpoint} cannot be used: {error}"))
}
