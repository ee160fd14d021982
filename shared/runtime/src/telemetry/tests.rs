//! Claims about what is counted and where it can be read.

use std::sync::Arc;

use kimberly_core::memory::Tier;

use super::{Metrics, snapshot};
use crate::SystemClock;

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
    observer.recalled(0.002, 10);
    observer.outcome(3, 1);
    metrics.set_storage_per_user(1_000.0);
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
        ("retrieval.latency.mean", 0.002),
        ("retrieval.precision_at_k", 0.75),
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
