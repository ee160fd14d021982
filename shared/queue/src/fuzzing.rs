//! The parser of stored jobs, for `tests/fuzz`. Panics are how a target tells that a promise was broken.
#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a panic is the finding of a fuzzer")]

use crate::job::JobEnvelope;

/// A payload as it lies in the queue's database.
pub fn job(payload: &[u8]) {
    let Ok(job) = JobEnvelope::decode(payload) else { return };
    let text = serde_json::to_vec(&job).expect("a job can be written");
    assert!(JobEnvelope::decode(&text).is_ok_and(|again| again == job), "what was read is read again");
    let _refused = job.invalid_field();
}
