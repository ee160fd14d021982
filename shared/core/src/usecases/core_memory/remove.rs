//! Removes a block; it can be restored within the grace window.

use super::super::App;
use super::super::delete_memory::Deletion;
use super::super::record_change::Target;
use crate::boxed;
use crate::error::Result;
use crate::ids::UserId;
use crate::memory::MemoryReceipt;

/// The block to remove.
#[derive(Clone, Debug, Default)]
pub struct RemoveBlockInput {
    /// The namespace; empty for the default one.
    pub namespace: String,
    /// Its label.
    pub label: String,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
}

impl App {
    /// Removes a block from core memory.
    #[boxed]
    pub async fn remove_block(&self, user: &UserId, input: RemoveBlockInput) -> Result<MemoryReceipt> {
        let (namespace, name) = self.block(&input.namespace, &input.label)?;
        let (action, etag) = ("block.remove", input.etag);
        let key = self.key(&input.request_id, action, &(&namespace, &name, &etag))?;
        let deleted = self.delete(user, Deletion { action, of: Target::Name(namespace, name), etag, key }).await?;
        Ok(deleted.receipt)
    }
}
