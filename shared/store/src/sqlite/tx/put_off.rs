//! Writes postponed to the end of a transaction: stored answers, and the counter of changes for recall.

use kimberly_core::error::Result;

use crate::chosen;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::notes::PutOff;

const REQUEST: &str = "INSERT OR REPLACE INTO requests (id, fingerprint, answer, at) VALUES (?, ?, ?, ?)";
const EVIDENCE_CHANGED: &str = "UPDATE counters SET bytes = bytes + 1 WHERE slot = 12";
const RECALL_CHANGED: &str = "UPDATE counters SET items = items + 1 WHERE slot = 12";

/// Writes what was postponed, except for the audit.
pub(crate) async fn write_put_off(conn: &mut Conn, put_off: &PutOff) -> Result<()> {
    for record in &put_off.requests {
        let args = Args::new().with(chosen::hashed(&record.request_id)).with(record.fingerprint.as_slice());
        conn.run("storing answers", REQUEST, args.with(record.answer.as_str()).with(record.at.0)).await?;
    }
    if put_off.recall_changed {
        conn.run("counting changes", RECALL_CHANGED, Args::new()).await?;
    }
    if put_off.evidence_changed {
        conn.run("counting changes", EVIDENCE_CHANGED, Args::new()).await?;
    }
    Ok(())
}
