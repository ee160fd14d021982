//! Imports an exported attachment with its id and time. This is an upload whose attachment is known beforehand; one
//! that exists already needs no bytes.

use std::sync::Arc;

use super::receiving::{Announced, Came, Receiving};
use super::seal::seal_later;
use crate::attachments::{AttachmentRecord, NewAttachment, of_record};
use crate::bounds::MAX_ATTACHMENTS_PER_MEMORY;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{BlobId, UserId};
use crate::ports::{AttachmentQuery, RowFacts, VaultTransaction};
use crate::tagging::forget;
use crate::time::Span;
use crate::usecases::App;
use crate::usecases::support::entry;

/// Outcome of importing an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachmentImported {
    /// The attachment was stored.
    Stored,
    /// An attachment with this id exists, and stays as it is.
    Known,
    /// None of its memories exists.
    NoMemory,
}

/// The beginning of an import: whether it needs the bytes.
#[derive(Debug)]
pub enum ImportBegun {
    /// The bytes are needed.
    Open(Box<AttachmentImport>),
    /// No bytes are needed.
    Done(AttachmentImported),
}

/// An import that needs bytes. End it with [`finish`](Self::finish) or [`abandon`](Self::abandon).
#[derive(Debug)]
pub struct AttachmentImport {
    receiving: Receiving,
    record: Arc<AttachmentRecord>,
}

impl App {
    /// Begins to import an exported attachment; fails if it may not be stored. Attaches it to those of its memories that
    /// exist, withheld ones too. An attachment without any is left out.
    #[boxed]
    pub async fn import_attachment(&self, user: &UserId, record: AttachmentRecord) -> Result<ImportBegun> {
        let limits = &self.defaults.attachments;
        let record = Arc::new(record.checked(limits, self.clock.now())?);
        let announced = Announced::new(self, &record.draft);
        let (of, seals) = (Arc::clone(&record), self.seals());
        let begin = self.vaults.transact(user, "attachment.import", move |tx| {
            let (announced, of) = (announced.clone(), Arc::clone(&of));
            Box::pin(async move {
                match targets(tx, &of).await? {
                    Ok(memories) => announced.stage(tx, seals && memories.iter().any(|of| of.sensitive)).await.map(Ok),
                    Err(done) => Ok(Err(done)),
                }
            })
        });
        match begin.await? {
            Err(done) => {
                self.read_missing(user, record.id, &record.memories).await;
                Ok(ImportBegun::Done(done))
            }
            Ok(staged) => {
                let receiving = Receiving::begin(self, user, record.draft.clone(), staged).await?;
                Ok(ImportBegun::Open(Box::new(AttachmentImport { receiving, record })))
            }
        }
    }
}

impl AttachmentImport {
    /// Time left to end the import; zero once it is over.
    pub fn left(&self) -> Span {
        self.receiving.left()
    }

    /// Takes the next bytes; fails if there are too many or they come too late.
    #[boxed]
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.receiving.write(bytes).await.map_err(of_record)
    }

    /// Makes an attachment of the received bytes.
    #[boxed]
    pub async fn finish(self) -> Result<AttachmentImported> {
        let (came, unsettled) = self.receiving.end().await.map_err(of_record)?;
        let (app, user, record) = (came.app.clone(), came.user.clone(), Arc::clone(&self.record));
        let done = commit(came, self.record).await;
        unsettled.settle(done.as_ref().map(|(_, kept)| *kept)).await;
        let (outcome, _) = done?;
        app.read_missing(&user, record.id, &record.memories).await;
        Ok(outcome)
    }

    /// Ends the import without keeping anything.
    #[boxed]
    pub async fn abandon(self) {
        self.receiving.abandon().await;
    }
}

/// Ends an import in one transaction. Returns the outcome, and the blob that holds the bytes.
async fn commit(came: Came, record: Arc<AttachmentRecord>) -> Result<(AttachmentImported, Option<BlobId>)> {
    let Came { app, user, blob, facts, .. } = came;
    let (now, limits) = (app.clock.now(), app.defaults.attachments.clone());
    let (seals, job) = (app.seals(), app.ids.new_id(now));
    let commit = app.vaults.transact_existing(&user, "attachment.import", move |tx| {
        let (record, limits) = (Arc::clone(&record), limits.clone());
        Box::pin(async move {
            // Another import, or an erasure, may have come first.
            let memories = match targets(tx, &record).await? {
                Ok(memories) => memories,
                Err(done) => return Ok((done, None)),
            };
            let blob = Came::store(tx, &limits, (blob, facts)).await?;
            tx.insert_attachment(&new(&record, blob)).await?;
            for memory in memories {
                tx.attach(memory.seq, record.id).await?;
            }
            forget(tx, &record.memories).await?;
            // One of the memories may have become sensitive since the bytes began to come.
            seal_later(tx, (seals, job), now).await?;
            tx.audit(&entry(now, "attachment.import", Some(record.id.to_string()), 1)).await?;
            Ok((AttachmentImported::Stored, Some(blob)))
        })
    });
    // An import must not recreate a user who was purged meanwhile.
    commit.await?.ok_or(Error::UploadGone)
}

fn new(record: &AttachmentRecord, blob: BlobId) -> NewAttachment {
    let AttachmentRecord { id, draft, uploader, created_at, .. } = record.clone();
    NewAttachment { id, blob, name: draft.name, media_type: draft.media_type, uploader, created_at }
}

/// Returns the memories to attach it to, or why its bytes are not needed. Fails if one of them has too many attachments.
async fn targets(
    tx: &mut dyn VaultTransaction,
    record: &AttachmentRecord,
) -> Result<Result<Vec<RowFacts>, AttachmentImported>> {
    if !tx.every_attachment(&AttachmentQuery::Ids(vec![record.id])).await?.is_empty() {
        return Ok(Err(AttachmentImported::Known));
    }
    let facts = tx.row_facts(&record.memories).await?;
    let memories: Vec<RowFacts> = facts.into_iter().flatten().collect();
    if memories.is_empty() {
        return Ok(Err(AttachmentImported::NoMemory));
    }
    for memory in &memories {
        let hanging = tx.every_attachment(&AttachmentQuery::OfMemory(memory.seq)).await?;
        if hanging.len() >= MAX_ATTACHMENTS_PER_MEMORY {
            return Err(Error::LimitReached { what: "attachments of this memory", limit: MAX_ATTACHMENTS_PER_MEMORY });
        }
    }
    Ok(Ok(memories))
}
