//! Writes what belongs to a document besides its record: passages, the digest of its text, and its original.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;

use super::same::same;
use crate::bounds::MAX_BATCH;
use crate::context::{Digest, Fingerprints};
use crate::documents::{Passage, split};
use crate::error::{Error, Result};
use crate::extraction::StatementRow;
use crate::ids::{AttachmentId, MemoryId, UserId};
use crate::memory::{Detail, Memory, MemoryDraft, MemoryReceipt};
use crate::ports::{NewMemory, VaultTransaction};
use crate::tables::{Condition, TableRow as _, delete, put};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::attachments::hang_seen;
use crate::usecases::attachments::seal::seal_later;
use crate::usecases::create_memories::Also;
use crate::usecases::idempotency::Key;
use crate::usecases::record_change::{After, RecordChange, Target};
use crate::usecases::support::entry;
use crate::usecases::write_back::Versioning;

/// Action in the audit log.
const ACTION: &str = "document.ingest";

/// The data derived from a document's text.
pub(super) struct Made {
    /// The whole text.
    text: String,
    /// Byte range of each passage in the text.
    spans: Vec<Range<usize>>,
    prints: Fingerprints,
    now: Timestamp,
    /// The attachment of the original, once stored.
    attachment: Option<AttachmentId>,
    /// Whether attachments of sensitive memories are sealed, and the id of the job that does it.
    seals: (bool, uuid::Uuid),
}

/// Writes the rows that belong to a new document.
#[async_trait]
impl Also for Made {
    async fn after(&self, tx: &mut dyn VaultTransaction, new: &[NewMemory]) -> Result<()> {
        let Some(NewMemory { id, draft, .. }) = new.first() else { return Ok(()) };
        if same(tx.as_reader(), self.digest(draft), draft, None).await?.is_some() {
            return Err(Error::conflict("text", "was stored meanwhile by another call; send it again"));
        }
        put_all(tx, &self.of(*id)).await?;
        self.finish(tx, *id, draft, ACTION).await
    }
}

/// A new text for an existing document.
pub(super) struct Replaced {
    pub(super) draft: MemoryDraft,
    pub(super) key: Option<Key>,
    pub(super) traceparent: Option<String>,
    pub(super) made: Arc<Made>,
}

impl Made {
    pub(super) fn new(app: &App, user: &UserId, text: String) -> Self {
        let now = app.clock.now();
        Self {
            spans: split(&text),
            text,
            prints: app.fingerprints(user),
            now,
            attachment: None,
            seals: (app.seals(), app.ids.new_id(now)),
        }
    }

    /// Sets the attachment of the original.
    pub(super) fn with_original(self, attachment: AttachmentId) -> Self {
        Self { attachment: Some(attachment), ..self }
    }

    pub(super) fn passages(&self) -> u64 {
        self.spans.len() as u64
    }

    /// Returns the digest that finds an equal text, so that it is not stored twice.
    pub(super) fn digest(&self, draft: &MemoryDraft) -> Digest {
        let sensitive = if draft.metadata.sensitive { "sensitive" } else { "plain" };
        self.prints.of_parts(&["document", &draft.namespace, sensitive, &self.text])
    }

    /// Returns the passages of a document.
    fn of(&self, document: MemoryId) -> Vec<Passage> {
        let passage = |(position, span): (u64, &Range<usize>)| Passage {
            document,
            position,
            read_at: self.now,
            text: self.text.get(span.clone()).unwrap_or_default().to_owned(),
            span: span.start as u64..span.end as u64,
        };
        (0..).zip(&self.spans).map(passage).collect()
    }

    /// Replaces the passages of an existing document by those of its original.
    pub(super) async fn put_again(&self, tx: &mut dyn VaultTransaction, memory: &Memory) -> Result<()> {
        delete(tx, &Passage::query().is("memory_id", memory.id)).await?;
        put_all(tx, &self.of(memory.id)).await?;
        self.finish(tx, memory.id, &memory.draft, "document.read").await
    }

    /// Returns the writes that go with a new text: they store passages that differ, and delete those beyond its end.
    fn after(self: Arc<Self>) -> After<(u64, String)> {
        Box::new(move |tx, memory, stored| {
            let made = Arc::clone(&self);
            Box::pin(async move { made.replace(tx, memory, stored).await })
        })
    }

    async fn replace(&self, tx: &mut dyn VaultTransaction, memory: &Memory, answer: &mut (u64, String)) -> Result<()> {
        let id = memory.id;
        let before = Passage::all(tx.as_reader(), id).await?;
        let now = self.of(id);
        let texts: HashSet<&str> = before.iter().map(|passage| passage.text.as_str()).collect();
        answer.0 = now.iter().filter(|passage| !texts.contains(passage.text.as_str())).count() as u64;
        let differs = |one: &&Passage| {
            let old = usize::try_from(one.position).ok().and_then(|position| before.get(position));
            // The first passage is always written: it says when the document was last read.
            one.position == 0 || old.is_none_or(|old| (&old.span, &old.text) != (&one.span, &one.text))
        };
        let other: Vec<Passage> = now.iter().filter(differs).cloned().collect();
        put_all(tx, &other).await?;
        let behind = Condition::From("position", self.passages().into());
        delete(tx, &Passage::query().is("memory_id", id).that(behind)).await?;
        delete(tx, &StatementRow::query().is("memory_id", id)).await?;
        if let Ok(before) = AttachmentId::parse("attachment", &answer.1)
            && Some(before) != self.attachment
        {
            tx.detach(memory.seq, before, self.now).await?;
        }
        self.finish(tx, id, &memory.draft, ACTION).await
    }

    async fn finish(
        &self,
        tx: &mut dyn VaultTransaction,
        id: MemoryId,
        draft: &MemoryDraft,
        action: &'static str,
    ) -> Result<()> {
        put(tx, &[StatementRow { digest: self.digest(draft), memory: id }]).await?;
        if let Some(attachment) = self.attachment
            && hang_seen(tx, id, attachment).await?
        {
            seal_later(tx, self.seals, self.now).await?;
        }
        tx.audit(&entry(self.now, action, Some(id.to_string()), self.passages())).await
    }
}

async fn put_all(tx: &mut dyn VaultTransaction, passages: &[Passage]) -> Result<()> {
    for piece in passages.chunks(MAX_BATCH) {
        put(tx, piece).await?;
    }
    Ok(())
}

impl App {
    /// Gives a document a new text; also returns how many passages were stored.
    pub(super) async fn replace_document(&self, user: &UserId, replaced: Replaced) -> Result<(MemoryReceipt, u64)> {
        let Replaced { draft, key, traceparent, made } = replaced;
        let name = draft.name.clone().unwrap_or_default();
        let (namespace, name) = self.addressed(&draft.namespace, "memory.name", &name)?;
        let limits = self.defaults.draft_limits;
        let change = Box::new(move |memory: &mut Memory, _: Timestamp| {
            let before = match &memory.draft.detail {
                Some(Detail::Document(document)) => document.attachment.clone(),
                _ => return Err(changed()),
            };
            if memory.draft.metadata.sensitive != draft.metadata.sensitive {
                return Err(changed());
            }
            let MemoryDraft { content, detail, metadata, source_ref, occurred_at, .. } = draft.clone();
            (memory.draft.content, memory.draft.detail) = (content, detail);
            if !metadata.tags.is_empty() {
                memory.draft.metadata.tags = metadata.tags;
            }
            memory.draft.source_ref = source_ref.or(memory.draft.source_ref.take());
            memory.draft.occurred_at = occurred_at.or(memory.draft.occurred_at);
            memory.draft = std::mem::take(&mut memory.draft).normalized("memory", limits)?;
            Ok((0, before))
        });
        let change = RecordChange {
            action: "memory.edit",
            of: Target::Name(namespace, name),
            etag: String::new(),
            key,
            versioning: Versioning::default(),
            traceparent,
            change,
            why: None,
        };
        let (receipt, (stored, _)) = self.change_record_and(user, change, Some(made.after())).await?;
        self.remove_condemned(user).await;
        Ok((receipt, stored))
    }
}

fn changed() -> Error {
    Error::conflict("name", "is taken by another record meanwhile; repeat the call")
}
