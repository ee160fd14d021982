//! Flattens OpenTelemetry's data into names and numbers.

use opentelemetry::KeyValue;
use opentelemetry_sdk::metrics::data::{
    AggregatedMetrics, HistogramDataPoint, MetricData, ResourceMetrics, ScopeMetrics,
};

/// Names, with labels in braces, and values, sorted by name.
pub(super) fn flatten(found: &ResourceMetrics) -> Vec<(String, f64)> {
    let mut rows = Vec::new();
    for metric in found.scope_metrics().flat_map(ScopeMetrics::metrics) {
        match metric.data() {
            AggregatedMetrics::F64(data) => collect(metric.name(), data, |n| n, &mut rows),
            AggregatedMetrics::U64(data) => collect(metric.name(), data, from_u64, &mut rows),
            AggregatedMetrics::I64(data) => collect(metric.name(), data, from_i64, &mut rows),
        }
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows
}

#[expect(clippy::cast_precision_loss, reason = "a published metric is a double")]
fn from_u64(n: u64) -> f64 {
    n as f64
}

#[expect(clippy::cast_precision_loss, reason = "a published metric is a double")]
fn from_i64(n: i64) -> f64 {
    n as f64
}

fn collect<T: Copy>(name: &str, data: &MetricData<T>, to_f64: fn(T) -> f64, rows: &mut Vec<(String, f64)>) {
    match data {
        MetricData::Gauge(gauge) => {
            rows.extend(gauge.data_points().map(|p| (labelled(name, "", p.attributes()), to_f64(p.value()))));
        }
        MetricData::Sum(sum) => {
            rows.extend(sum.data_points().map(|p| (labelled(name, "", p.attributes()), to_f64(p.value()))));
        }
        MetricData::Histogram(histogram) => {
            for point in histogram.data_points() {
                let parts = summary(point, to_f64);
                rows.extend(parts.map(|(part, value)| (labelled(name, part, point.attributes()), value)));
            }
        }
        MetricData::ExponentialHistogram(_) => {}
    }
}

fn labelled<'a>(name: &str, part: &str, attributes: impl Iterator<Item = &'a KeyValue>) -> String {
    let mut labels: Vec<String> = attributes.map(|label| format!("{}={}", label.key, label.value)).collect();
    labels.sort();
    let braces = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
    format!("{name}{part}{braces}")
}

fn summary<T: Copy>(point: &HistogramDataPoint<T>, to_f64: fn(T) -> f64) -> [(&'static str, f64); 6] {
    let count = from_u64(point.count());
    let max = point.max().map_or(0.0, to_f64);
    let mean = if point.count() == 0 { 0.0 } else { to_f64(point.sum()) / count };
    let bounds: Vec<f64> = point.bounds().collect();
    let counts: Vec<u64> = point.bucket_counts().collect();
    let at = |share| percentile(&bounds, &counts, max, share);
    [(".count", count), (".mean", mean), (".p50", at(0.50)), (".p95", at(0.95)), (".p99", at(0.99)), (".max", max)]
}

/// The value below which a `share` of the recorded values are, interpolated within its bucket.
pub(super) fn percentile(bounds: &[f64], counts: &[u64], max: f64, share: f64) -> f64 {
    let total: u64 = counts.iter().sum();
    let wanted = share * from_u64(total);
    let mut below = 0.0;
    for (index, &count) in counts.iter().enumerate() {
        let here = from_u64(count);
        if count > 0 && below + here >= wanted {
            let low = if index == 0 { 0.0 } else { bounds[index - 1] };
            let high = bounds.get(index).copied().unwrap_or(max).min(max).max(low);
            return low + (high - low) * ((wanted - below) / here).clamp(0.0, 1.0);
        }
        below += here;
    }
    0.0
}
