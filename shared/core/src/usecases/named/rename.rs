//! Renames a record.

use super::super::App;
use super::super::record_change::{RecordChange, Target};
use super::super::write_back::Versioning;
use crate::boxed;
use crate::error::Result;
use crate::ids::UserId;
use crate::memory::{Memory, MemoryReceipt};
use crate::time::Timestamp;

/// The record, and its new name.
#[derive(Clone, Debug, Default)]
pub struct RenameInput {
    /// The namespace of both names; empty for the default one.
    pub namespace: String,
    /// The current name.
    pub name: String,
    /// The new name, which must be free.
    pub new_name: String,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

impl App {
    /// Renames an active record.
    #[boxed]
    pub async fn rename_record(&self, user: &UserId, input: RenameInput) -> Result<MemoryReceipt> {
        let RenameInput { namespace, name, new_name, etag, request_id, traceparent } = input;
        let (_, new_name) = self.addressed("", "new_name", &new_name)?;
        let (namespace, name) = self.addressed(&namespace, "name", &name)?;
        let action = "memory.rename";
        let key = self.key(&request_id, action, &(&namespace, &name, &new_name, &etag))?;
        let limits = self.defaults.draft_limits;
        let change = Box::new(move |memory: &mut Memory, _: Timestamp| {
            memory.draft.name = Some(new_name.clone());
            memory.draft = std::mem::take(&mut memory.draft).normalized("record", limits)?;
            Ok(())
        });
        let of = Target::Name(namespace, name);
        let changed =
            RecordChange { action, of, etag, key, versioning: Versioning::default(), traceparent, change, why: None };
        self.change_record(user, changed).await.map(|(receipt, ())| receipt)
    }
}
