//! Finds the document with the same text.

use crate::context::Digest;
use crate::error::Result;
use crate::extraction::StatementRow;
use crate::ids::MemoryId;
use crate::memory::{Memory, MemoryDraft, MemoryState};
use crate::ports::VaultReader;
use crate::tables::find;

/// Returns the document with this digest that the draft would duplicate. If a document has the draft's name, only that one counts.
pub(super) async fn same(
    reader: &mut dyn VaultReader,
    digest: Digest,
    draft: &MemoryDraft,
    named: Option<MemoryId>,
) -> Result<Option<Memory>> {
    for row in find::<StatementRow>(reader, &StatementRow::stating(digest)).await? {
        if let Some(memory) = reader.memory(row.memory).await?
            && memory.state == MemoryState::Active
            && named.is_none_or(|named| named == memory.id)
            && memory.draft.namespace == draft.namespace
            && memory.draft.metadata.sensitive == draft.metadata.sensitive
            && (draft.consent_id.is_none() || draft.consent_id == memory.draft.consent_id)
        {
            return Ok(Some(memory));
        }
    }
    Ok(None)
}
