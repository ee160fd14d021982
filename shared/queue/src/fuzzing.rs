//! The parser of stored jobs, for `tests/fuzz`. A panic reports a broken guarantee.
#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a panic is the finding of a fuzzer")]

use crate::envelope::JobEnvelope;

/// Parses a payload as stored in the queue's database.
pub fn job(payload: &[u8]) {
    let Ok(job) = JobEnvelope::decode(payload) else { return };
    let text = serde_json::to_vec(&job).expect("a job can be written");
    assert!(JobEnvelope::decode(&text).is_ok_and(|again| again == job), "a decoded job survives a round trip");
    let _refused = job.invalid_field();
}
