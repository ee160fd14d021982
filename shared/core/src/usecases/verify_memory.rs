//! Confirms that a memory is true, which makes it more certain.

use serde::{Deserialize, Serialize};

use super::App;
use super::record_change::{RecordChange, Target};
use super::write_back::Versioning;
use crate::boxed;
use crate::error::Result;
use crate::ids::{MemoryId, UserId};
use crate::memory::{Memory, MemoryReceipt};
use crate::time::Timestamp;

/// The memory to confirm.
#[derive(Clone, Debug)]
pub struct VerifyInput {
    /// The memory.
    pub id: MemoryId,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

/// How certain a memory is after a confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    /// Its confidence, in [0, 1].
    pub confidence: f64,
    /// Number of verifications.
    pub verification_count: u64,
}

impl App {
    /// Confirms an active memory.
    #[boxed]
    pub async fn verify_memory(&self, user: &UserId, input: VerifyInput) -> Result<(MemoryReceipt, Verified)> {
        let VerifyInput { id, etag, request_id, traceparent } = input;
        let action = "memory.verify";
        let key = self.key(&request_id, action, &(id, &etag))?;
        let change = Box::new(|memory: &mut Memory, now: Timestamp| {
            memory.belief.verify(memory.created_at, now);
            let belief = &memory.belief;
            Ok(Verified { confidence: belief.confidence, verification_count: belief.verification_count })
        });
        let of = Target::Id(id);
        let versioning = Versioning::default();
        self.change_record(user, RecordChange { action, of, etag, key, versioning, traceparent, change, why: None })
            .await
    }
}
