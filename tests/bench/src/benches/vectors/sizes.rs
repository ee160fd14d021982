//! One index per size: exact, with trees, and usearch's.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use kimberly_core::UserId;
use kimberly_core::embedding::ModelKey;
use kimberly_core::ports::{IndexChange, VectorReader as _, VectorWriter as _};
use kimberly_index::{IndexWriter, Options};
use serde::Deserialize;
use serde_json::json;

use super::data::{DIMENSION, Data, NEAREST, items};
use super::user_with_vault;
use crate::Result;
use crate::peers::Peers;

/// The measurements of one index.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Measured {
    build_ms: f64,
    add_ms: f64,
    delete_ms: f64,
    pub(super) p50_ms: f64,
    p99_ms: f64,
    recall_at_10: f64,
    disk_mb: f64,
}

impl Measured {
    /// The figures by name.
    pub(super) fn figures(&self) -> [(&'static str, f64); 7] {
        [
            ("build_ms", self.build_ms),
            ("add_ms", self.add_ms),
            ("delete_ms", self.delete_ms),
            ("query_p50_ms", self.p50_ms),
            ("query_p99_ms", self.p99_ms),
            ("recall_at_10", self.recall_at_10),
            ("disk_mb", self.disk_mb),
        ]
    }
}

/// Measures our index, with trees above `switch_at` vectors.
pub(super) fn ours(data: &Data, model: &ModelKey, switch_at: u32) -> Result<Measured> {
    let folder = tempfile::tempdir()?;
    let user = user_with_vault(folder.path(), "one")?;
    let index = IndexWriter::new(folder.path(), Options { switch_at, ..Options::default() });
    let write = |change: &IndexChange| timed(|| index.write(&user, model, change));
    let put = |vectors: &[Vec<f32>], first: usize| -> Result<IndexChange> {
        Ok(IndexChange { put: items(vectors, i64::try_from(first)?), in_sync_at: Some(1), ..IndexChange::default() })
    };
    let build_ms = write(&put(&data.rows, 0)?)?;
    let disk = index.state(&user, model)?.map_or(0, |state| state.disk_bytes);
    let (found, taken) = queries(data, &index, &user, model)?;
    let added = put(&data.extra, data.rows.len())?;
    let add_ms = write(&added)?;
    let gone = added.put.iter().map(|item| item.subject).collect();
    let delete_ms = write(&IndexChange { gone, in_sync_at: Some(2), ..IndexChange::default() })?;
    Ok(Measured {
        build_ms,
        add_ms,
        delete_ms,
        p50_ms: taken[taken.len() / 2],
        p99_ms: taken[taken.len() * 99 / 100],
        recall_at_10: found,
        disk_mb: megabytes(disk),
    })
}

/// The share of nearest vectors found, and the sorted times.
fn queries(data: &Data, index: &IndexWriter, user: &UserId, model: &ModelKey) -> Result<(f64, Vec<f64>)> {
    let (mut found, mut taken) = (0, Vec::new());
    for (query, nearest) in data.queries.iter().zip(&data.nearest) {
        let start = Instant::now();
        let hits = index.nearest(user, model, query, NEAREST)?;
        taken.push(start.elapsed().as_secs_f64() * 1_000.0);
        let right = |seq: i64| usize::try_from(seq).is_ok_and(|row| nearest.contains(&row));
        found += hits.iter().filter(|hit| right(hit.seq.0)).count();
    }
    taken.sort_unstable_by(f64::total_cmp);
    Ok((share(found, data.queries.len() * NEAREST), taken))
}

/// Measures usearch's index.
pub(super) async fn usearch(peers: &Peers, data: &Data) -> Result<Measured> {
    let folder = tempfile::tempdir()?;
    let vectors = folder.path().join("vectors.f32");
    data.write(&vectors)?;
    peers.script("usearch", &settings(&vectors, data)).await
}

fn settings(vectors: &Path, data: &Data) -> serde_json::Value {
    json!({
        "vectors": vectors,
        "dimension": DIMENSION,
        "rows": data.rows.len(),
        "extra": data.extra.len(),
        "nearest": data.nearest,
    })
}

/// The measurements by kind of index.
pub(super) type Kinds = BTreeMap<&'static str, Measured>;

fn timed(work: impl FnOnce() -> kimberly_core::error::Result<()>) -> Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64() * 1_000.0)
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn share(part: usize, of: usize) -> f64 {
    part as f64 / of.max(1) as f64
}

/// Bytes in megabytes.
#[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
pub(super) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
