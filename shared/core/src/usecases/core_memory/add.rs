//! Adds a block.

use super::super::{App, CreateInput};
use crate::boxed;
use crate::core_memory::draft;
use crate::error::Result;
use crate::ids::UserId;
use crate::memory::{BlockDetail, Creator, MemoryDraft, MemoryReceipt};

/// The block to add.
#[derive(Clone, Debug, Default)]
pub struct AddBlockInput {
    /// The namespace; empty for the default one.
    pub namespace: String,
    /// Its label; no other block may have it.
    pub label: String,
    /// Its text, which may be empty.
    pub content: String,
    /// The purpose of the block.
    pub description: String,
    /// Whether assistants must not change it.
    pub read_only: bool,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

impl App {
    /// Adds a block to core memory.
    #[boxed]
    pub async fn add_block(&self, user: &UserId, input: AddBlockInput) -> Result<MemoryReceipt> {
        let (namespace, _) = self.block(&input.namespace, &input.label)?;
        let detail = BlockDetail { description: input.description, read_only: input.read_only };
        let is_agent = self.caller.as_ref().is_some_and(|caller| caller.agent);
        let created_by = if is_agent { Creator::Agent } else { Creator::User };
        let block = MemoryDraft { created_by, namespace, ..draft(&input.label, input.content, detail) };
        let (request_id, traceparent) = (input.request_id, input.traceparent);
        let new = CreateInput { drafts: vec![block], request_id, traceparent, ..CreateInput::default() };
        let receipts = self.create_memories(user, new).await?;
        receipts.into_iter().next().ok_or_else(|| crate::error::Error::invalid("label", "was not stored"))
    }
}
