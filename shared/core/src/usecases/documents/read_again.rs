//! Reads the originals of documents again. Passages are derived: an archive leaves them out, and a rebuild makes them.

use std::sync::Arc;

use super::write::Made;
use crate::bounds::{MAX_PAGE_BYTES, MAX_PAGE_SIZE};
use crate::documents::{self, MediaType, Passage};
use crate::error::Result;
use crate::ids::{AttachmentId, MemoryId, UserId};
use crate::memory::{Detail, ListOrder, Memory, MemoryFilter, MemoryState, RecordKind};
use crate::ports::ListKey;
use crate::tables::find;
use crate::usecases::App;
use crate::usecases::masking::{masks, replace};

impl App {
    /// Reads the originals of documents that lack passages, where `attachment` is the original: an archive leaves passages out.
    pub(in crate::usecases) async fn read_missing(&self, user: &UserId, attachment: AttachmentId, of: &[MemoryId]) {
        for document in of {
            // A rebuild reads what cannot be read now.
            let _ = self.read_document(user, *document, Some(attachment)).await;
        }
    }

    /// Reads the original of a document again, if it is attached and readable; reports whether it did. With `only`,
    /// reads it only if it is that attachment and the document has no passages.
    async fn read_document(&self, user: &UserId, document: MemoryId, only: Option<AttachmentId>) -> Result<bool> {
        let found = self.vaults.read(user, move |reader| {
            Box::pin(async move {
                let has_any = !find::<Passage>(reader, &Passage::from(document, 0).at_most(1)).await?.is_empty();
                Ok((reader.memory(document).await?, has_any))
            })
        });
        let (memory, has_any) = found.await?;
        let Some((id, media_type)) = memory.as_ref().and_then(original) else { return Ok(false) };
        if only.is_some_and(|only| has_any || only != id) {
            return Ok(false);
        }
        let attachment = self.get_attachment(user, id).await?;
        if !attachment.memories.contains(&document) {
            return Ok(false);
        }
        let mut text = documents::read(&self.text_of(user, &attachment).await?, media_type);
        if memory.is_some_and(|memory| masks(&memory.draft, &self.defaults)) {
            replace(&mut text.body);
        }
        let made = Arc::new(Made::new(self, user, text.body));
        let write = self.vaults.transact_existing(user, "document.read", move |tx| {
            let made = Arc::clone(&made);
            Box::pin(async move {
                match tx.memory(document).await? {
                    Some(memory) if original(&memory) == Some((id, media_type)) => {
                        made.put_again(tx, &memory).await.map(|()| true)
                    }
                    _ => Ok(false),
                }
            })
        });
        Ok(write.await?.unwrap_or_default())
    }

    /// Reads all documents of a user again. Tries all of them before it fails because one cannot be read.
    pub(in crate::usecases) async fn read_documents_again(&self, user: &UserId) -> Result<()> {
        if self.blobs.is_none() {
            return Ok(());
        }
        let (mut after, mut failed) = (None, Ok(()));
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
            let Some(last) = page.last() else { return failed };
            after = Some(ListKey { created_at: last.created_at, seq: last.seq });
            for memory in page {
                failed = failed.and(self.read_document(user, memory.id, None).await.map(drop));
            }
        }
    }
}

/// Returns the attachment that holds a document's original, and its media type.
fn original(memory: &Memory) -> Option<(AttachmentId, MediaType)> {
    let Some(Detail::Document(document)) = &memory.draft.detail else { return None };
    let attachment = AttachmentId::parse("attachment", &document.attachment).ok()?;
    Some((attachment, MediaType::from_name(&document.media_type)?))
}
