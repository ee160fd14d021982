//! Changes a block: its text, its purpose, and whether it is read-only.

use super::super::App;
use super::super::record_change::{RecordChange, Target};
use super::super::write_back::Versioning;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::memory::{Detail, Memory, MemoryReceipt};
use crate::time::Timestamp;

/// A change of a block; fields that are `None` stay.
#[derive(Clone, Debug, Default)]
pub struct UpdateBlockInput {
    /// The namespace; empty for the default one.
    pub namespace: String,
    /// Its label.
    pub label: String,
    /// The new text.
    pub content: Option<String>,
    /// The purpose of the block.
    pub description: Option<String>,
    /// Whether assistants must not change it.
    pub read_only: Option<bool>,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

impl App {
    /// Changes a block of core memory.
    #[boxed]
    pub async fn update_block(&self, user: &UserId, input: UpdateBlockInput) -> Result<MemoryReceipt> {
        let (namespace, name) = self.block(&input.namespace, &input.label)?;
        let UpdateBlockInput { content, description, read_only, etag, request_id, traceparent, .. } = input;
        if content.is_none() && description.is_none() && read_only.is_none() {
            return Err(Error::invalid("content", "is unset, and so are description and read_only; set one of them"));
        }
        let action = "block.update";
        let key = self.key(&request_id, action, &(&namespace, &name, &content, &description, read_only, &etag))?;
        let limits = self.defaults.draft_limits;
        let change = Box::new(move |memory: &mut Memory, _: Timestamp| {
            let mut draft = std::mem::take(&mut memory.draft);
            if let Some(content) = &content {
                draft.content.clone_from(content);
            }
            if let Some(Detail::Block(block)) = &mut draft.detail {
                if let Some(description) = &description {
                    block.description.clone_from(description);
                }
                block.read_only = read_only.unwrap_or(block.read_only);
            }
            memory.draft = draft.normalized("block", limits)?;
            Ok(())
        });
        let of = Target::Name(namespace, name);
        let changed =
            RecordChange { action, of, etag, key, versioning: Versioning::default(), traceparent, change, why: None };
        self.change_record(user, changed).await.map(|(receipt, ())| receipt)
    }
}
