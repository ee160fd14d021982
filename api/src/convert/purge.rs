//! Converts purges and their receipts to the contract.

use kimberly_core::audit::hash_text;
use kimberly_core::erasure::{Erased, Purge};
use kimberly_proto::v1;

use super::int64;
use super::time::wire_timestamp;

/// Converts a purge to the contract.
pub fn purge(one: Purge) -> v1::Purge {
    let state = if one.is_done() { v1::PurgeState::Done } else { v1::PurgeState::UnderWay };
    v1::Purge {
        id: one.id.to_string(),
        state: state.into(),
        pseudonym: one.pseudonym,
        asked_by: one.asked_by,
        asked_at: Some(wire_timestamp(one.asked_at)),
        finished_at: one.finished_at.map(wire_timestamp),
        erased: Some(erased(one.erased)),
        audit_number: one.told.map_or(0, |head| int64(head.no)),
        audit_hash: one.told.map_or_else(String::new, |head| hash_text(&head.hash)),
    }
}

fn erased(counts: Erased) -> v1::ErasedCounts {
    v1::ErasedCounts {
        rows: counts.rows.into_iter().map(|(kind, rows)| (kind, int64(rows))).collect(),
        memory_bytes: int64(counts.memory_bytes),
        files: int64(counts.files),
        file_bytes: int64(counts.file_bytes),
        key_file: counts.key_file,
        unreadable: counts.unreadable,
        keys_revoked: int64(counts.credentials_revoked),
        keys_narrowed: int64(counts.credentials_narrowed),
    }
}
