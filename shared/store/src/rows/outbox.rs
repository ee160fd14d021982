//! The row of a job in the outbox.

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{Job, OutboxRow};

use super::ReadRow;
use crate::corrupt;

/// Reads a job from its position, id, JSON, time and trace.
pub(crate) fn outbox_row<'r>(c: &mut impl ReadRow<'r>) -> Result<OutboxRow> {
    Ok(OutboxRow {
        position: c.int()?,
        job_id: c.uuid()?,
        job: serde_json::from_str(c.str()?).map_err(|_| corrupt("a job in the outbox is unknown"))?,
        created_at: c.time()?,
        traceparent: c.opt_text()?,
    })
}

/// Encodes a job as JSON.
pub(crate) fn job_json(job: &Job) -> Result<String> {
    serde_json::to_string(job)
        .map_err(|e| Error::storage(StorageFailure::Defect, format!("a job cannot be written as JSON: {e}")))
}
