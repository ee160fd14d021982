//! Lists the passages of a document.

use crate::bounds::MAX_PAGE_BYTES;
use crate::boxed;
use crate::documents::Passage;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::memory::RecordKind;
use crate::tables::find;
use crate::usecases::App;
use crate::usecases::page::{PageRequest, Scope, fit};

/// The passages to list.
#[derive(Clone, Debug)]
pub struct PassagesInput {
    /// The document.
    pub document: MemoryId,
    /// The page.
    pub page: PageRequest,
}

/// A page of passages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassagePage {
    /// The passages, in the order of the text.
    pub passages: Vec<Passage>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

impl App {
    /// Returns a page of the document's passages in order: at most the requested number and about 1 MiB.
    #[boxed]
    pub async fn list_passages(&self, user: &UserId, input: PassagesInput) -> Result<PassagePage> {
        let PassagesInput { document, page } = input;
        let limit = page.limit()?;
        let scope = Scope::new("list_passages", user, &document.to_string())?;
        let from: u64 = scope.key(&page.token)?.unwrap_or_default();
        let read = self.vaults.read(user, move |reader| {
            Box::pin(async move {
                let memory = reader.memory(document).await?.ok_or_else(|| Error::memory_not_found(document))?;
                if memory.draft.kind != RecordKind::Document {
                    let problem = format!("is a {}; only documents have passages", memory.draft.kind);
                    return Err(Error::conflict("id", problem));
                }
                find::<Passage>(reader, &Passage::from(document, from).at_most(limit + 1)).await
            })
        });
        let mut passages = read.await?;
        let fits = fit(passages.iter().map(|one| one.text.len() as u64), MAX_PAGE_BYTES).min(limit);
        let next = passages.get(fits).map(|passage| scope.token(&passage.position)).transpose()?.unwrap_or_default();
        passages.truncate(fits);
        Ok(PassagePage { passages, next })
    }
}
