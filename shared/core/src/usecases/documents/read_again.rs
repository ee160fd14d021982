//! Reads the originals of documents again: passages are derived, so that an archive leaves them out and a rebuild makes them anew.

use std::sync::Arc;

use super::write::Made;
use crate::bounds::{MAX_PAGE_BYTES, MAX_PAGE_SIZE};
use crate::documents::{self, MediaType};
use crate::error::{Error, Result};
use crate::ids::{AttachmentId, MemoryId, UserId};
use crate::memory::{Detail, ListOrder, Memory, MemoryFilter, MemoryState, RecordKind};
use crate::ports::ListKey;
use crate::usecases::App;

impl App {
    /// Reads the original of a document again, if it has one that can be read; whether it did.
    pub(in crate::usecases) async fn read_document_again(&self, user: &UserId, document: MemoryId) -> Result<bool> {
        let found = self.vaults.read(user, move |reader| Box::pin(reader.memory(document)));
        let Some(memory) = found.await? else { return Ok(false) };
        let Some((attachment, media_type)) = original(&memory) else { return Ok(false) };
        let text = match self.text_of(user, attachment).await {
            Ok(text) => documents::read(&text, media_type),
            // The original is gone, or was never a text: what is there of it stays as it is.
            Err(Error::NotFound { .. } | Error::Conflict { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        let made = Arc::new(Made::new(self, user, &text.body));
        let write = self.vaults.transact_existing(user, "document.read", move |tx| {
            let made = Arc::clone(&made);
            Box::pin(async move {
                match tx.memory(document).await? {
                    Some(memory) if original(&memory) == Some((attachment, media_type)) => {
                        made.put_again(tx, &memory).await.map(|()| true)
                    }
                    _ => Ok(false),
                }
            })
        });
        Ok(write.await?.unwrap_or_default())
    }

    /// The same for all documents of a user.
    pub(in crate::usecases) async fn read_documents_again(&self, user: &UserId) -> Result<()> {
        if self.blobs.is_none() {
            return Ok(());
        }
        let mut after = None;
        loop {
            let page = self.vaults.read(user, move |reader| {
                Box::pin(async move {
                    let filter = MemoryFilter {
                        kinds: vec![RecordKind::Document],
                        states: MemoryState::ALL.to_vec(),
                        ..MemoryFilter::default()
                    };
                    reader.list(&filter, ListOrder::OldestFirst, after, MAX_PAGE_SIZE, MAX_PAGE_BYTES).await
                })
            });
            let page = page.await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(ListKey { created_at: last.created_at, seq: last.seq });
            for memory in page {
                self.read_document_again(user, memory.id).await?;
            }
        }
    }
}

/// Where the original of a document is, and what kind of text.
fn original(memory: &Memory) -> Option<(AttachmentId, MediaType)> {
    let Some(Detail::Document(document)) = &memory.draft.detail else { return None };
    let attachment = AttachmentId::parse("attachment", &document.attachment).ok()?;
    Some((attachment, MediaType::from_name(&document.media_type)?))
}
