//! Memories that were erased.

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::time;

/// What was erased, and whether traces are left.
pub(crate) fn forgotten(erased: &v1::ForgetMemoriesResponse) -> Value {
    json!({
        "ids": erased.ids,
        "size_bytes": erased.size_bytes,
        "erased_at": time(erased.erased_at.as_ref()),
        "files_clean": erased.files_clean,
        "vectors_removed": erased.vectors_removed,
    })
}
