//! Reads the bytes of all attachments, to find damaged or missing ones.

use std::collections::HashMap;

use super::find::first;
use crate::attachments::Attachment;
use crate::boxed;
use crate::error::{Error, Result, StorageFailure};
use crate::ids::{AttachmentId, BlobId, UserId};
use crate::ports::{AttachmentQuery, Blobs};
use crate::usecases::App;

/// Attachments per page.
const PAGE: usize = 200;

impl App {
    /// Reads all attachments of a user to the end, withheld ones too, each content once. Returns the ids of those that
    /// are damaged or missing, oldest first; none in a process without attachments. Fails on a read error that may pass.
    #[boxed]
    pub async fn damaged_attachments(&self, user: &UserId) -> Result<Vec<AttachmentId>> {
        let Some(blobs) = self.blobs.clone() else { return Ok(Vec::new()) };
        let (mut damaged, mut read, mut after) = (Vec::new(), HashMap::<BlobId, bool>::new(), None);
        loop {
            let page = self.vaults.read(user, move |reader| {
                Box::pin(async move { reader.every_attachment(&AttachmentQuery::Page { after, limit: PAGE }).await })
            });
            let page = page.await?;
            for attachment in &page {
                let whole = match read.get(&attachment.blob) {
                    Some(whole) => *whole,
                    None => is_whole(&*blobs, user, attachment).await?,
                };
                read.insert(attachment.blob, whole);
                // It may have been erased since the page was read.
                if !whole && self.is_there(user, attachment.id).await? {
                    damaged.push(attachment.id);
                }
            }
            match page.last().filter(|_| page.len() == PAGE) {
                Some(last) => after = Some((last.created_at, last.id)),
                None => return Ok(damaged),
            }
        }
    }

    async fn is_there(&self, user: &UserId, id: AttachmentId) -> Result<bool> {
        Ok(first(self, user, AttachmentQuery::Ids(vec![id])).await?.is_some())
    }
}

async fn is_whole(blobs: &dyn Blobs, user: &UserId, attachment: &Attachment) -> Result<bool> {
    let read = async {
        let Some(mut reader) = blobs.open(user, attachment.blob, 0).await? else { return Ok(false) };
        let mut size = 0;
        while let Some(bytes) = reader.next().await? {
            size += bytes.len() as u64;
        }
        Ok(size == attachment.facts.size_bytes)
    };
    match read.await {
        Err(Error::Storage { failure: StorageFailure::Corrupt, .. }) => Ok(false),
        done => done,
    }
}
