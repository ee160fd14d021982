//! Lists attachments, of one memory or of all, oldest first.

use crate::attachments::Attachment;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{AttachmentId, MemoryId, UserId};
use crate::ports::AttachmentQuery;
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::page::{PageRequest, Scope};

/// The attachments to list, and the page.
#[derive(Clone, Debug, Default)]
pub struct ListAttachmentsInput {
    /// Only attachments of this memory; `None` for those of all.
    pub memory: Option<MemoryId>,
    /// The page.
    pub page: PageRequest,
}

/// A page of attachments.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachmentPage {
    /// The attachments.
    pub attachments: Vec<Attachment>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

impl App {
    /// Returns a page of the attachments that the caller sees. Those of one memory are few, but paged as well.
    #[boxed]
    pub async fn list_attachments(&self, user: &UserId, input: ListAttachmentsInput) -> Result<AttachmentPage> {
        let limit = input.page.limit()?;
        let scope = Scope::new("attachment.list", user, &input.memory)?;
        let after: Option<(Timestamp, AttachmentId)> = scope.key(&input.page.token)?;
        let memory = input.memory;
        let read = self.vaults.read(user, move |reader| {
            Box::pin(async move {
                let Some(id) = memory else {
                    return reader.attachments(&AttachmentQuery::Page { after, limit: limit + 1 }).await;
                };
                let memory = reader.memory(id).await?.ok_or_else(|| Error::memory_not_found(id))?;
                let mut all = reader.attachments(&AttachmentQuery::OfMemory(memory.seq)).await?;
                all.retain(|attachment| after.is_none_or(|after| (attachment.created_at, attachment.id) > after));
                all.truncate(limit + 1);
                Ok(all)
            })
        });
        let mut attachments = read.await?;
        let more = attachments.len() > limit;
        attachments.truncate(limit);
        let next = match attachments.last().filter(|_| more) {
            Some(last) => scope.token(&(last.created_at, last.id))?,
            None => String::new(),
        };
        Ok(AttachmentPage { attachments, next })
    }
}
