//! Finds the document that already has a text.

use super::ingest::Ingested;
use super::same::same;
use super::write::Made;
use crate::error::Result;
use crate::ids::UserId;
use crate::memory::{Memory, MemoryDraft, RecordKind};
use crate::usecases::App;

impl App {
    /// Returns the active document with the same text, unless another document has the requested name: that one gets the text.
    pub(super) async fn known_document(
        &self,
        user: &UserId,
        draft: &MemoryDraft,
        made: &Made,
        named: Option<&Memory>,
    ) -> Result<Option<Ingested>> {
        let (digest, asked, named) = (made.digest(draft), draft.clone(), named.map(|named| named.id));
        let found = self.vaults.read(user, move |reader| {
            let asked = asked.clone();
            Box::pin(async move { same(reader, digest, &asked, named).await })
        });
        let passages = made.passages();
        Ok(found.await?.map(|memory| Ingested { receipt: memory.receipt(), passages, stored: 0, known: true }))
    }

    /// Returns the active document that has the draft's name. If another kind of record has the name, the write fails later.
    pub(super) async fn document_named(&self, user: &UserId, draft: &MemoryDraft) -> Result<Option<Memory>> {
        let Some(name) = draft.name.clone() else { return Ok(None) };
        let namespace = draft.namespace.clone();
        let found = self.vaults.read(user, move |reader| {
            let (namespace, name) = (namespace.clone(), name.clone());
            Box::pin(async move {
                let Some(id) = reader.id_named(&namespace, &name).await? else { return Ok(None) };
                reader.memory(id).await
            })
        });
        Ok(found.await?.filter(|memory| memory.draft.kind == RecordKind::Document))
    }
}
