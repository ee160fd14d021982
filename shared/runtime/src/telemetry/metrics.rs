//! The meter of a process, and snapshots of it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use kimberly_core::ports::{Clock, Observer};
use opentelemetry::metrics::{Counter, Gauge, Histogram, Meter, MeterProvider as _};
use opentelemetry_otlp::MetricExporter;
use opentelemetry_prometheus::PrometheusExporter;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::data::ResourceMetrics;
use opentelemetry_sdk::metrics::reader::MetricReader;
use opentelemetry_sdk::metrics::{
    InstrumentKind, ManualReader, PeriodicReader, Pipeline, SdkMeterProvider, Temporality,
};

use super::observer::{OtelObserver, SECONDS};
use super::{export, snapshot};

/// The metrics of this process. Cheap to clone; clones share one state.
#[derive(Clone)]
pub struct Metrics(Arc<Inner>);

struct Inner {
    reader: LocalReader,
    provider: SdkMeterProvider,
    meter: Meter,
    counters: Mutex<HashMap<&'static str, Counter<u64>>>,
    gauges: Mutex<HashMap<&'static str, Gauge<f64>>>,
    histograms: Mutex<HashMap<&'static str, Histogram<f64>>>,
}

impl Metrics {
    pub(super) fn new(
        process: &'static str,
        pull: Option<PrometheusExporter>,
        push: Option<PeriodicReader<MetricExporter>>,
    ) -> Self {
        let reader = LocalReader::default();
        let mut builder =
            SdkMeterProvider::builder().with_resource(export::resource(process)).with_reader(reader.clone());
        if let Some(pull) = pull {
            builder = builder.with_reader(pull);
        }
        if let Some(push) = push {
            builder = builder.with_reader(push);
        }
        let provider = builder.build();
        let meter = provider.meter("kimberly");
        let (counters, gauges, histograms) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self(Arc::new(Inner { reader, provider, meter, counters, gauges, histograms }))
    }

    /// Metrics without exporter, for tests.
    pub fn detached() -> Self {
        Self::new("kimberly-test", None, None)
    }

    /// An observer that counts domain events under the names of K-9.1.
    pub fn observer(&self, clock: Arc<dyn Clock>) -> Arc<dyn Observer> {
        Arc::new(OtelObserver::new(&self.0.meter, clock))
    }

    /// Adds to a counter. Names are constants and never contain user ids or text.
    pub fn add(&self, name: &'static str, n: u64) {
        let mut counters = self.0.counters.lock().unwrap_or_else(PoisonError::into_inner);
        counters.entry(name).or_insert_with(|| self.0.meter.u64_counter(name).build()).add(n, &[]);
    }

    /// Sets a gauge. Names are constants and never contain user ids or text.
    pub fn set(&self, name: &'static str, value: f64) {
        let mut gauges = self.0.gauges.lock().unwrap_or_else(PoisonError::into_inner);
        gauges.entry(name).or_insert_with(|| self.0.meter.f64_gauge(name).build()).record(value, &[]);
    }

    /// Adds to a histogram. Names are constants and never contain user ids or text.
    pub fn record_seconds(&self, name: &'static str, seconds: f64) {
        let mut histograms = self.0.histograms.lock().unwrap_or_else(PoisonError::into_inner);
        let build = || self.0.meter.f64_histogram(name).with_unit("s").with_boundaries(SECONDS.to_vec()).build();
        histograms.entry(name).or_insert_with(build).record(seconds, &[]);
    }

    /// All values since the start, sorted by name, with labels in braces. A histogram yields `.count`, `.mean`,
    /// `.p50`, `.p95`, `.p99` and `.max`, the percentiles interpolated within their buckets.
    pub fn snapshot(&self) -> Vec<(String, f64)> {
        let mut found = ResourceMetrics::default();
        match self.0.reader.collect(&mut found) {
            Ok(()) => snapshot::flatten(&found),
            Err(_) => Vec::new(),
        }
    }

    pub(super) fn stop(&self) {
        if let Err(error) = self.0.provider.shutdown() {
            tracing::debug!("the last metrics were not sent: {error}");
        }
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

/// A reader that both this process and the provider own.
#[derive(Clone, Debug, Default)]
struct LocalReader(Arc<ManualReader>);

impl MetricReader for LocalReader {
    fn register_pipeline(&self, pipeline: Weak<Pipeline>) {
        self.0.register_pipeline(pipeline);
    }

    fn collect(&self, metrics: &mut ResourceMetrics) -> OTelSdkResult {
        self.0.collect(metrics)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn temporality(&self, kind: InstrumentKind) -> Temporality {
        self.0.temporality(kind)
    }
}
