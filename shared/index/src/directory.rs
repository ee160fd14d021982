//! Finds the rows of a subject: by a scan in a small index, by a directory in a large one.

use std::collections::HashMap;

use heed::RwTxn;
use kimberly_core::embedding::VectorSubject;
use kimberly_core::error::Result;

use crate::errors::{corrupt, lmdb};
use crate::store::{Snapshot, Store, directory_key};

/// The rows of each of `subjects`; empty for those without vectors.
pub(crate) fn rows_of(snapshot: &Snapshot<'_>, subjects: &[VectorSubject]) -> Result<Vec<Vec<u32>>> {
    if snapshot.stamp.large.is_some() {
        return subjects.iter().map(|subject| look_up(snapshot, subject)).collect();
    }
    let mut rows: HashMap<VectorSubject, Vec<u32>> = subjects.iter().map(|subject| (*subject, Vec::new())).collect();
    for (row, meta) in (0..).zip(snapshot.metas()?) {
        if let Some(found) = rows.get_mut(&meta.subject) {
            found.push(row);
        }
    }
    Ok(subjects.iter().map(|subject| rows.get(subject).cloned().unwrap_or_default()).collect())
}

fn look_up(snapshot: &Snapshot<'_>, subject: &VectorSubject) -> Result<Vec<u32>> {
    let found = snapshot.store.get(snapshot.txn, &directory_key(subject));
    let bytes = found.map_err(|e| lmdb("reading", snapshot.path, &e))?.unwrap_or_default();
    if bytes.len() % 4 != 0 {
        return Err(corrupt(snapshot.path, "has a damaged directory"));
    }
    Ok(bytes.chunks_exact(4).filter_map(|b| b.first_chunk().map(|b| u32::from_le_bytes(*b))).collect())
}

/// Updates the directory entry of a subject.
pub(crate) fn note(
    txn: &mut RwTxn<'_>,
    store: Store,
    subject: &VectorSubject,
    rows: Option<&Vec<u32>>,
) -> heed::Result<()> {
    let key = directory_key(subject);
    match rows {
        Some(rows) => {
            let bytes: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
            store.put(txn, &key, &bytes)
        }
        None => store.delete(txn, &key).map(drop),
    }
}
