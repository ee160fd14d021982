//! Confirms that a memory is true, which makes it more certain.

use serde::{Deserialize, Serialize};

use super::App;
use super::record_change::{After, RecordChange, Target};
use super::statements::with_copies;
use super::support::entry;
use super::write_back::Versioning;
use crate::boxed;
use crate::error::Result;
use crate::ids::{MemoryId, UserId};
use crate::memory::{Memory, MemoryReceipt, MemoryState};
use crate::ports::VaultTransaction;
use crate::time::Timestamp;

/// Action in the audit log.
const ACTION: &str = "memory.verify";

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
    /// Confirms an active memory, and what says the same.
    #[boxed]
    pub async fn verify_memory(&self, user: &UserId, input: VerifyInput) -> Result<(MemoryReceipt, Verified)> {
        let VerifyInput { id, etag, request_id, traceparent } = input;
        let action = ACTION;
        let key = self.key(&request_id, action, &(id, &etag))?;
        let change = Box::new(|memory: &mut Memory, now: Timestamp| {
            memory.belief.verify(memory.created_at, now);
            let belief = &memory.belief;
            Ok(Verified { confidence: belief.confidence, verification_count: belief.verification_count })
        });
        let of = Target::Id(id);
        let versioning = Versioning::default();
        let asked = RecordChange { action, of, etag, key, versioning, traceparent, change, why: None };
        let after: After<Verified> =
            Box::new(|tx, memory, _| Box::pin(verify_copies(tx, memory.id, memory.updated_at)));
        self.change_record_and(user, asked, Some(after)).await
    }
}

/// Confirms what says the same as a memory: the turns that it was learned from, or the records learned from it.
async fn verify_copies(tx: &mut dyn VaultTransaction, id: MemoryId, now: Timestamp) -> Result<()> {
    for copy in with_copies(tx.as_reader(), &[id]).await?.into_iter().filter(|copy| *copy != id) {
        let Some(before) = tx.memory(copy).await? else { continue };
        if before.state != MemoryState::Active || !before.holds_at(now) {
            continue;
        }
        let mut memory = Memory { updated_at: now, revision: before.revision + 1, ..before };
        memory.belief.verify(memory.created_at, now);
        tx.update_memory(&memory, None).await?;
        tx.audit(&entry(now, ACTION, Some(copy.to_string()), 1)).await?;
    }
    Ok(())
}
