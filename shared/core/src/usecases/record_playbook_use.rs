//! Counts one use of a playbook, and whether it went well.

use serde::{Deserialize, Serialize};

use super::App;
use super::record_change::{RecordChange, Target};
use super::write_back::Versioning;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::memory::{Detail, Memory, MemoryReceipt};
use crate::time::Timestamp;

/// A use of a playbook.
#[derive(Clone, Debug)]
pub struct PlaybookUseInput {
    /// The playbook.
    pub id: MemoryId,
    /// Whether it went well.
    pub success: bool,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

/// How a playbook has served so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaybookUses {
    /// Number of uses.
    pub used: i64,
    /// Number of uses that went well.
    pub succeeded: i64,
}

impl App {
    /// Counts one use of an active playbook.
    #[boxed]
    pub async fn record_playbook_use(
        &self,
        user: &UserId,
        input: PlaybookUseInput,
    ) -> Result<(MemoryReceipt, PlaybookUses)> {
        let PlaybookUseInput { id, success, request_id, traceparent } = input;
        let action = "playbook.use";
        let key = self.key(&request_id, action, &(id, success))?;
        let change = Box::new(move |memory: &mut Memory, _: Timestamp| {
            let Some(Detail::Playbook(playbook)) = &mut memory.draft.detail else { return Err(no_playbook(memory)) };
            playbook.count_use(success);
            Ok(PlaybookUses { used: playbook.used, succeeded: playbook.succeeded })
        });
        let etag = String::new();
        let of = Target::Id(id);
        let versioning = Versioning::default();
        self.change_record(user, RecordChange { action, of, etag, key, versioning, traceparent, change, why: None })
            .await
    }
}

fn no_playbook(memory: &Memory) -> Error {
    let problem =
        "is not a playbook with steps; list those by a filter on KIND_PLAYBOOK, or find one for the situation";
    let kind = memory.draft.kind;
    Error::conflict("id", format!("names a memory of kind {kind}, which {problem}"))
}
