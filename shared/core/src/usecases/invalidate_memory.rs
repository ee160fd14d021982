//! Invalidates a record from a time on, with a reason.

use serde::{Deserialize, Serialize};

use super::App;
use super::record_change::{After, RecordChange, Target};
use super::statements::ends;
use super::write_back::Versioning;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::links::evidence_problem;
use crate::memory::{Memory, MemoryReceipt, RecordKind};
use crate::time::Timestamp;

/// A record to invalidate.
#[derive(Clone, Debug)]
pub struct InvalidateInput {
    /// The record.
    pub id: MemoryId,
    /// From when on it no longer holds; now if `None`.
    pub when: Option<Timestamp>,
    /// The reason; empty for none.
    pub reason: String,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

/// Until when a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invalidated {
    /// End of its validity.
    pub valid_to: Timestamp,
}

impl App {
    /// Ends the validity of an active record at a time. An update that clears `valid_to` undoes it.
    #[boxed]
    pub async fn invalidate_memory(
        &self,
        user: &UserId,
        input: InvalidateInput,
    ) -> Result<(MemoryReceipt, Invalidated)> {
        let InvalidateInput { id, when, reason, etag, request_id, traceparent } = input;
        if let Some(problem) = evidence_problem(&reason) {
            return Err(Error::invalid("reason", problem));
        }
        let action = "memory.invalidate";
        let key = self.key(&request_id, action, &(id, when, &reason, &etag))?;
        let change = Box::new(move |memory: &mut Memory, now: Timestamp| {
            let valid_to = when.unwrap_or(now);
            if memory.draft.valid_from.is_some_and(|from| valid_to <= from) {
                return Err(Error::conflict("when", "is not after valid_from; name a later time"));
            }
            if memory.draft.valid_to.is_some_and(|until| until < valid_to) {
                return Err(Error::conflict("when", "is later than valid_to; UpdateMemory can extend its validity"));
            }
            if memory.draft.kind == RecordKind::Block {
                return Err(Error::conflict("id", "is a block of core memory; RemoveBlock removes it"));
            }
            memory.draft.valid_to = Some(valid_to);
            Ok(Invalidated { valid_to })
        });
        let why = Some(reason);
        let (of, versioning) = (Target::Id(id), Versioning::default());
        let asked = RecordChange { action, of, etag, key, versioning, traceparent, change, why };
        let after: After<Invalidated> = Box::new(|tx, memory, _| {
            // What it replaced holds again, as it was replaced in error.
            Box::pin(async move { ends::release(tx, memory.id, memory.updated_at).await })
        });
        self.change_record_and(user, asked, Some(after)).await
    }
}
