//! Purges and their receipts as JSON.

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::{compact, time};

/// A purge, or its receipt.
pub(crate) fn purge(one: &v1::Purge) -> Value {
    let erased = one.erased.clone().unwrap_or_default();
    let state = match one.state() {
        v1::PurgeState::Done => "done",
        v1::PurgeState::UnderWay => "under_way",
        v1::PurgeState::Unspecified => "",
    };
    let number = (one.audit_number > 0).then_some(one.audit_number);
    let rows: serde_json::Map<String, Value> =
        erased.rows.into_iter().map(|(kind, rows)| (kind, Value::from(rows))).collect();
    compact(json!({
        "id": one.id,
        "state": state,
        "pseudonym": one.pseudonym,
        "asked_by": one.asked_by,
        "asked_at": time(one.asked_at.as_ref()),
        "finished_at": time(one.finished_at.as_ref()),
        "erased": {
            "rows": rows,
            "memory_bytes": erased.memory_bytes,
            "files": erased.files,
            "file_bytes": erased.file_bytes,
            "key_file": erased.key_file,
            "unreadable": erased.unreadable,
            "keys_revoked": erased.keys_revoked,
            "keys_narrowed": erased.keys_narrowed,
        },
        "audit_number": number,
        "audit_hash": one.audit_hash,
    }))
}
