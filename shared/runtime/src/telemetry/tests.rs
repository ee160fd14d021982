//! Tests of what is counted and where it can be read.

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::memory::Tier;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tracing_subscriber::layer::SubscriberExt as _;

use super::{Metrics, current_traceparent, export, follow, prometheus, snapshot};
use crate::SystemClock;
use crate::config::{Period, TelemetryConfig};

fn value(rows: &[(String, f64)], name: &str) -> f64 {
    rows.iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("{name} is missing in {rows:?}")).1
}

#[test]
fn everything_the_domain_reports_is_in_the_snapshot_under_its_published_name() {
    let metrics = Metrics::detached();
    let observer = metrics.observer(Arc::new(SystemClock));
    observer.created(Tier::LongTerm, 3);
    observer.created(Tier::LongTerm, 2);
    observer.deleted(Tier::ShortTerm, 1);
    observer.archived(Tier::Permanent, 4);
    observer.quota_usage(Tier::LongTerm, 0.6);
    observer.quota_refused(Tier::LongTerm);
    observer.meditated(100, 7);
    observer.recalled(0.002, 10, "timed_out");
    observer.outcome(3, 1, 10);
    observer.outcome(1, 1, 5);
    observer.stored(0, 500);
    observer.stored(3, 3_000);
    let rows = metrics.snapshot();
    for (name, expected) in [
        ("memory.items.created{tier=long_term}", 5.0),
        ("memory.items.deleted{tier=short_term}", 1.0),
        ("memory.items.archived{tier=permanent}", 4.0),
        ("memory.quota.usage.long_term.count", 1.0),
        ("memory.quota.usage.long_term.max", 0.6),
        ("memory.quota.refused{tier=long_term}", 1.0),
        ("memory.meditation.processed", 100.0),
        ("memory.meditation.pruned", 7.0),
        ("retrieval.latency.count", 1.0),
        ("retrieval.semantic{status=timed_out}", 1.0),
        ("retrieval.latency.mean", 0.002),
        ("retrieval.precision_at_k{k=10}", 0.75),
        ("retrieval.precision_at_k{k=5}", 0.5),
        ("embedding.calls.total", 0.0),
        ("vector_index.disk_bytes", 0.0),
        ("monthly_storage_per_user", 1_000.0),
    ] {
        assert!((value(&rows, name) - expected).abs() < 1e-9, "{name} is {}", value(&rows, name));
    }
    assert!(value(&rows, "memory.meditation.last_run") > 1.7e9);
    assert!(rows.is_sorted_by(|a, b| a.0 <= b.0));
}

#[test]
fn a_snapshot_can_be_taken_again_and_again() {
    let metrics = Metrics::detached();
    metrics.add("queue.jobs.failed", 2);
    metrics.set("vaults.open", 5.0);
    metrics.set("vaults.open", 6.0);
    assert_eq!(metrics.snapshot(), metrics.snapshot());
    metrics.add("queue.jobs.failed", 1);
    let rows = metrics.snapshot();
    assert!((value(&rows, "queue.jobs.failed") - 3.0).abs() < 1e-9 && (value(&rows, "vaults.open") - 6.0).abs() < 1e-9);
}

#[test]
fn percentiles_lie_in_their_bucket_and_never_above_the_largest_value() {
    let (bounds, counts) = ([1.0, 2.0, 4.0], [50, 40, 9, 1]);
    let at = |share| snapshot::percentile(&bounds, &counts, 6.0, share);
    assert!((at(0.5) - 1.0).abs() < 1e-9 && (at(0.9) - 2.0).abs() < 1e-9);
    assert!(at(0.99) <= 4.0 && (at(1.0) - 6.0).abs() < 1e-9);
    assert!(snapshot::percentile(&bounds, &[0, 0, 0, 0], 0.0, 0.5).abs() < 1e-9, "nothing was recorded");
    assert!(snapshot::percentile(&bounds, &[1, 0, 0, 0], 0.3, 0.99) <= 0.3);
}

#[test]
fn nothing_is_exported_unless_an_endpoint_is_configured() {
    let config = TelemetryConfig::default();
    assert!(export::metrics(&config).unwrap().is_none());
    assert!(export::tracer("kimberly-test", &config).unwrap().is_none());
    let (registry, reader) = prometheus::reader(&config).unwrap();
    assert!(registry.is_none() && reader.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configured_endpoint_is_sent_to() {
    let endpoint = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = TelemetryConfig {
        otlp_endpoint: Some(format!("http://{}", endpoint.local_addr().unwrap())),
        otlp_interval: Period::seconds(1),
        ..TelemetryConfig::default()
    };
    let metrics = Metrics::new("kimberly-test", None, export::metrics(&config).unwrap());
    metrics.add("queue.jobs.failed", 1);
    let connected = tokio::time::timeout(Duration::from_secs(30), endpoint.accept()).await;
    assert!(connected.is_ok(), "no connection to the endpoint");
    // Otherwise the last export waits for a response.
    drop((connected, endpoint));
}

async fn scrape(registry: ::prometheus::Registry, request: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (stream, _) = listener.accept().await.unwrap();
    let answering = tokio::spawn(async move { prometheus::answer(stream, &registry).await });
    let _ = client.write_all(request.as_bytes()).await;
    let mut answer = String::new();
    let _ = client.read_to_string(&mut answer).await;
    let _ = answering.await.unwrap();
    answer
}

#[tokio::test]
async fn a_scrape_finds_the_published_metrics_with_their_labels() {
    let listen = Some("127.0.0.1:9420".parse().unwrap());
    let config = TelemetryConfig { prometheus_listen: listen, ..TelemetryConfig::default() };
    let (registry, reader) = prometheus::reader(&config).unwrap();
    let metrics = Metrics::new("kimberly-test", reader, None);
    metrics.observer(Arc::new(SystemClock)).created(Tier::LongTerm, 3);
    metrics.observer(Arc::new(SystemClock)).outcome(3, 1, 10);
    let registry = registry.unwrap();
    let page = scrape(registry.clone(), "GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("memory_items_created_total"), "{page}");
    assert!(page.contains("tier=\"long_term\"") && page.contains("} 3"), "{page}");
    let precision = page.lines().find(|line| line.starts_with("retrieval_precision_at_k{")).unwrap();
    assert!(precision.contains("k=\"10\"") && precision.ends_with(" 0.75"), "{precision}");
    for name in page.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()) {
        let words: Vec<&str> = name.split('_').collect();
        assert!(!words.ends_with(&[words[words.len() - 1]; 2]), "{name} repeats its unit");
    }
    for name in ["embedding_calls_total", "vector_index_disk_bytes", "vector_index_memory_bytes"] {
        assert!(page.contains(&format!("# TYPE {name} ")), "{name}: {page}");
    }
    assert!(scrape(registry.clone(), "GET / HTTP/1.1\r\n\r\n").await.starts_with("HTTP/1.1 404"));
    assert_eq!(scrape(registry, &"x".repeat(20_000)).await, "", "an endless request is dropped");
}

#[test]
fn a_trace_goes_on_where_its_parent_says() {
    assert_eq!(current_traceparent(), None, "no tracer is installed");
    let provider = SdkTracerProvider::builder().build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let span = tracing::info_span!("job");
        follow(&span, Some(parent));
        let child = span.in_scope(current_traceparent).unwrap();
        assert!(child.starts_with("00-0af7651916cd43dd8448eb211c80319c-") && child != parent, "{child}");
        follow(&tracing::info_span!("other"), Some("nonsense"));
    });
}
