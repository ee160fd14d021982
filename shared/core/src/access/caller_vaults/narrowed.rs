//! Reads whose answers are narrowed after reading, because a query alone cannot exclude what is out of reach.

use std::collections::HashSet;

use super::Limited;
use crate::attachments::Attachment;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::ports::{AttachmentQuery, ChangeQuery, SeenChange, VaultReader};

impl<R: VaultReader + ?Sized> Limited<'_, R> {
    /// Returns changes, of which only those of reachable memories pass.
    pub(super) async fn reachable_changes(&mut self, query: &ChangeQuery) -> Result<Vec<SeenChange>> {
        let narrowed = self.rows.within(&query.filter);
        let (passes, filter) = (narrowed.is_some(), narrowed.unwrap_or_default());
        let asked = ChangeQuery { filter, with_memories: query.with_memories && passes, ..query.clone() };
        let mut changes = self.inner.changes(&asked).await?;
        let ids: Vec<MemoryId> = changes.iter().map(|seen| seen.change.memory_id).collect();
        let facts = self.inner.row_facts(&ids).await?;
        for (seen, facts) in changes.iter_mut().zip(facts) {
            seen.passes &= passes && facts.is_some_and(|facts| self.rows.admit_facts(&facts));
            seen.memory = seen.memory.take().filter(|_| seen.passes);
        }
        Ok(changes)
    }

    /// Returns attachments that the caller may see; a page is full unless there are no more.
    pub(super) async fn reachable_attachments(&mut self, query: &AttachmentQuery) -> Result<Vec<Attachment>> {
        let AttachmentQuery::Page { mut after, limit } = *query else {
            if let AttachmentQuery::OfMemory(seq) = query
                && self.reached_numbers(&[*seq]).await?.is_empty()
            {
                return Ok(Vec::new());
            }
            let found = self.inner.attachments(query).await?;
            return self.seen(found).await;
        };
        let mut page = Vec::new();
        loop {
            let found = self.inner.attachments(&AttachmentQuery::Page { after, limit }).await?;
            let (whole, last) = (found.len() >= limit, found.last().map(|last| (last.created_at, last.id)));
            page.extend(self.seen(found).await?);
            page.truncate(limit);
            if page.len() >= limit || !whole || last.is_none() {
                return Ok(page);
            }
            after = last;
        }
    }

    /// Returns the attachments that the caller may see, without the memories out of reach and without the names of
    /// other callers.
    async fn seen(&mut self, attachments: Vec<Attachment>) -> Result<Vec<Attachment>> {
        let ids: Vec<MemoryId> =
            attachments.iter().flat_map(|attachment| attachment.memories.iter().copied()).collect();
        let reached: HashSet<MemoryId> = self.reached(&ids).await?.into_iter().map(|(id, _)| id).collect();
        let narrowed = attachments.into_iter().filter_map(|mut attachment| {
            attachment.memories.retain(|id| reached.contains(id));
            let own = *attachment.uploader == *self.name;
            if !own {
                attachment.uploader.clear();
            }
            attachment.is_seen(own).then_some(attachment)
        });
        Ok(narrowed.collect())
    }
}
