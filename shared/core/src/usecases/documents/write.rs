//! What is written of a document beside its record: passages, the digest of its text, its original.

use std::collections::HashSet;
use std::sync::Arc;

use super::known::same;
use crate::bounds::MAX_BATCH;
use crate::context::{Digest, Fingerprints};
use crate::documents::{Passage, split};
use crate::error::{Error, Result};
use crate::extraction::StatementRow;
use crate::ids::{AttachmentId, MemoryId, UserId};
use crate::memory::{Detail, Memory, MemoryDraft, MemoryReceipt};
use crate::ports::VaultTransaction;
use crate::tables::{Condition, TableRow as _, delete, find, put};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::attachments::hang_seen;
use crate::usecases::attachments::seal::seal_later;
use crate::usecases::create_memories::Also;
use crate::usecases::idempotency::Key;
use crate::usecases::record_change::{After, RecordChange, Target};
use crate::usecases::support::entry;
use crate::usecases::write_back::Kept;

/// The action in the audit log.
const ACTION: &str = "document.ingest";

/// What is made of the text of a document.
pub(super) struct Made {
    /// Where each passage stands, and what it says.
    cut: Vec<Passage>,
    /// The whole text.
    text: String,
    prints: Fingerprints,
    now: Timestamp,
    /// Its original, once that is kept.
    attachment: Option<AttachmentId>,
    /// Whether attachments of what is sensitive are sealed, and the job that does it.
    seals: (bool, uuid::Uuid),
}

/// A document that gets another text.
pub(super) struct Replaced {
    pub(super) draft: MemoryDraft,
    pub(super) key: Option<Key>,
    pub(super) traceparent: Option<String>,
    pub(super) made: Arc<Made>,
}

impl Made {
    pub(super) fn new(app: &App, user: &UserId, text: &str) -> Self {
        let now = app.clock.now();
        let passage = |(position, span): (u64, std::ops::Range<usize>)| Passage {
            document: MemoryId(uuid::Uuid::nil()),
            position,
            read_at: now,
            text: text.get(span.clone()).unwrap_or_default().to_owned(),
            span: span.start as u64..span.end as u64,
        };
        let cut = (0..).zip(split(text)).map(passage).collect();
        Self {
            cut,
            text: text.to_owned(),
            prints: app.fingerprints(user),
            now,
            attachment: None,
            seals: (app.seals(), app.ids.new_id(now)),
        }
    }

    /// With where its original is kept.
    pub(super) fn kept_at(self, attachment: AttachmentId) -> Self {
        Self { attachment: Some(attachment), ..self }
    }

    pub(super) fn passages(&self) -> u64 {
        self.cut.len() as u64
    }

    /// By which the same text is found where it would be kept twice.
    pub(super) fn digest(&self, draft: &MemoryDraft) -> Digest {
        let sensitive = if draft.metadata.sensitive { "sensitive" } else { "plain" };
        self.prints.of_parts(&["document", &draft.namespace, sensitive, &self.text])
    }

    fn of(&self, document: MemoryId) -> Vec<Passage> {
        self.cut.iter().map(|passage| Passage { document, ..passage.clone() }).collect()
    }

    /// What is written with a new document.
    pub(super) fn also(self: Arc<Self>) -> Also {
        Box::new(move |tx, new| {
            let made = Arc::clone(&self);
            let new = new.first().map(|memory| (memory.id, memory.draft.clone()));
            Box::pin(async move {
                let Some((id, draft)) = new else { return Ok(()) };
                if same(tx.as_reader(), made.digest(&draft), &draft).await?.is_some() {
                    return Err(Error::conflict("text", "was taken in meanwhile by another call; send it again"));
                }
                for piece in made.of(id).chunks(MAX_BATCH) {
                    put(tx, piece).await?;
                }
                made.finish(tx, id, &draft, ACTION).await
            })
        })
    }

    /// Writes what is made of the original of a document that is there.
    pub(super) async fn put_again(&self, tx: &mut dyn VaultTransaction, memory: &Memory) -> Result<()> {
        delete(tx, &Passage::query().is("memory_id", memory.id)).await?;
        for piece in self.of(memory.id).chunks(MAX_BATCH) {
            put(tx, piece).await?;
        }
        self.finish(tx, memory.id, &memory.draft, "document.read").await
    }

    /// What is written with a new text of a document: passages that differ, and none that were cut off.
    fn after(self: Arc<Self>) -> After<(u64, String)> {
        Box::new(move |tx, memory, stored| {
            let made = Arc::clone(&self);
            Box::pin(async move { made.replace(tx, memory, stored).await })
        })
    }

    async fn replace(&self, tx: &mut dyn VaultTransaction, memory: &Memory, answer: &mut (u64, String)) -> Result<()> {
        let id = memory.id;
        let before = all(tx, id).await?;
        let texts: HashSet<&str> = before.iter().map(|passage| passage.text.as_str()).collect();
        answer.0 = self.cut.iter().filter(|passage| !texts.contains(passage.text.as_str())).count() as u64;
        let is_there = |one: &&Passage| {
            let old = usize::try_from(one.position).ok().and_then(|position| before.get(position));
            old.is_some_and(|old| (&old.span, &old.text) == (&one.span, &one.text))
        };
        let other: Vec<Passage> = self.of(id).iter().filter(|one| !is_there(one)).cloned().collect();
        for piece in other.chunks(MAX_BATCH) {
            put(tx, piece).await?;
        }
        if let Some(first) = self.cut.first() {
            // The first one says when any was read last.
            put(tx, &[Passage { document: id, ..first.clone() }]).await?;
        }
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

/// All passages of a document, in order.
async fn all(tx: &mut dyn VaultTransaction, document: MemoryId) -> Result<Vec<Passage>> {
    let mut passages: Vec<Passage> = Vec::new();
    loop {
        let query = Passage::from(document, passages.len() as u64).at_most(MAX_BATCH);
        let page = find::<Passage>(tx.as_reader(), &query).await?;
        let is_last = page.len() < MAX_BATCH;
        passages.extend(page);
        if is_last {
            return Ok(passages);
        }
    }
}

impl App {
    /// Gives a document another text; says how many passages were stored.
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
            kept: Kept::default(),
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
    Error::conflict("name", "was given to another record meanwhile; send the call again")
}
