//! Replaces a record by another: a correction, or the revision of a belief. The old one no longer holds; a link says
//! what replaced it, and why.

use std::sync::Arc;

use async_trait::async_trait;

use super::App;
use super::create_memories::{Also, CreateInput};
use super::insights::{hold_resting, withdraw_resting};
use super::links::add;
use super::statements::stated_in;
use super::support::{check_etag, entry, load};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::links::{Ending, Link, LinkDraft, Relation, evidence_problem};
use crate::memory::{Detail, Memory, MemoryDraft, MemoryReceipt, MemoryState, RecordKind, SourceType};
use crate::ports::{NewMemory, VaultTransaction};
use crate::tables::{TableRow as _, delete, find};
use crate::time::Timestamp;

/// Most attempts, where the old record is written meanwhile.
const TRIES: usize = 5;

/// The replacement of a record.
#[derive(Clone, Debug)]
pub struct SupersedeInput {
    /// The record; active, and not superseded.
    pub id: MemoryId,
    /// The new content.
    pub content: String,
    /// The new detail; `None` keeps the old one, or none where that repeats the old content.
    pub detail: Option<Detail>,
    /// Its confidence, before the weight of its source; for a revision only.
    pub confidence: Option<f64>,
    /// The reason; empty for none.
    pub reason: String,
    /// The record that led to it, if one did.
    pub because: Option<MemoryId>,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

/// The kind of replacement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Correct,
    Revise,
}

impl App {
    /// Corrects a record: the new content is certain. Returns the receipt of the new record.
    #[boxed]
    pub async fn correct_memory(&self, user: &UserId, input: SupersedeInput) -> Result<MemoryReceipt> {
        self.supersede(user, input, How::Correct).await
    }

    /// Revises a belief. Returns the receipt of the new record.
    #[boxed]
    pub async fn revise_belief(&self, user: &UserId, input: SupersedeInput) -> Result<MemoryReceipt> {
        self.supersede(user, input, How::Revise).await
    }

    async fn supersede(&self, user: &UserId, input: SupersedeInput, how: How) -> Result<MemoryReceipt> {
        if let Some(problem) = evidence_problem(&input.reason) {
            return Err(Error::invalid("reason", problem));
        }
        for _ in 1..TRIES {
            match self.try_supersede(user, &input, how).await {
                // Another write came between, and no etag was sent: try again.
                Err(Error::EtagMismatch { .. }) if input.etag.is_empty() => {}
                done => return done,
            }
        }
        self.try_supersede(user, &input, how).await
    }

    async fn try_supersede(&self, user: &UserId, input: &SupersedeInput, how: How) -> Result<MemoryReceipt> {
        let id = input.id;
        let before = self.vaults.read(user, move |reader| Box::pin(async move { reader.memory(id).await })).await?;
        let before = before.ok_or_else(|| Error::memory_not_found(id))?;
        if how == How::Revise && before.draft.kind != RecordKind::Belief {
            return Err(Error::conflict("id", "is not a belief; use CorrectMemory for other kinds"));
        }
        match before.draft.kind {
            RecordKind::Document => {
                return Err(Error::conflict("id", "is a document; send its new text with IngestDocument"));
            }
            RecordKind::Block => {
                return Err(Error::conflict("id", "is a block of core memory; change it with UpdateBlock"));
            }
            _ => {}
        }
        let now = self.clock.now();
        let (action, link) = (how.action(), input.link(now));
        let asked = (id, &input.etag, &input.content, &input.detail, input.confidence, &input.reason, input.because);
        let key = self.key(&input.request_id, action, &asked)?;
        let drafts = vec![how.draft(before.draft, input, now)];
        let traceparent = input.traceparent.clone();
        let asked = CreateInput { drafts, traceparent, ..CreateInput::default() };
        let prepared = self.prepare_memories(asked).map_err(of_the_request)?;
        // The record that the draft was made from must still be unchanged.
        let seen = if input.etag.is_empty() { before.revision.to_string() } else { input.etag.clone() };
        let superseding = Arc::new(Superseding { id, seen, because: input.because, link, action, now });
        let receipts = self.store_memories(user, prepared.with_also(key, superseding)).await?;
        receipts.into_iter().next().ok_or_else(|| Error::memory_not_found(id))
    }
}

/// Renames the draft's violations to the fields of the request.
fn of_the_request(error: Error) -> Error {
    let Error::Invalid(mut violations) = error else { return error };
    for violation in &mut violations {
        if let Some(rest) = violation.field.strip_prefix("memory.") {
            violation.field = rest.to_owned();
        }
    }
    Error::Invalid(violations)
}

impl How {
    const fn action(self) -> &'static str {
        match self {
            Self::Correct => "memory.correct",
            Self::Revise => "belief.revise",
        }
    }

    /// Drafts the new record: like the old one, but for its content, detail, source, confidence and validity.
    fn draft(self, mut before: MemoryDraft, input: &SupersedeInput, now: Timestamp) -> MemoryDraft {
        before.metadata.user_feedback = None;
        let (source_type, confidence) = match (self, input.because) {
            (Self::Correct, _) => (SourceType::Correction, Some(1.0)),
            (Self::Revise, Some(_)) => (SourceType::DirectExperience, input.confidence),
            (Self::Revise, None) => (SourceType::Inference, input.confidence),
        };
        MemoryDraft {
            content: input.content.clone(),
            detail: input.detail.clone().or_else(|| before.detail.filter(|detail| !detail.repeats_content())),
            source_type: Some(source_type),
            confidence,
            valid_from: Some(now),
            // A record that has ended is refused, so only a later end is inherited.
            valid_to: before.valid_to.filter(|until| *until > now),
            ..before
        }
    }
}

impl SupersedeInput {
    /// Makes the link from the new record, whose id is not known yet, to the old one.
    fn link(&self, now: Timestamp) -> Link {
        let evidence = (!self.reason.is_empty()).then(|| self.reason.clone());
        Link { evidence, ..plain(MemoryId(uuid::Uuid::nil()), Relation::Supersedes, self.id, now) }
    }
}

fn plain(from: MemoryId, relation: Relation, to: MemoryId, now: Timestamp) -> Link {
    LinkDraft::new(from, relation, to).into_link(now)
}

/// Ends the old record, and links the new one to it.
struct Superseding {
    id: MemoryId,
    seen: String,
    because: Option<MemoryId>,
    link: Link,
    action: &'static str,
    now: Timestamp,
}

#[async_trait]
impl Also for Superseding {
    /// Ends the old record, and frees its name for the new one.
    async fn before(&self, tx: &mut dyn VaultTransaction) -> Result<()> {
        let mut before = load(tx, self.id).await?;
        check_etag(&self.seen, &before.etag())?;
        before.draft.name = None;
        end(tx, &before, self.now).await?;
        Ok(())
    }

    async fn after(&self, tx: &mut dyn VaultTransaction, new: &[NewMemory]) -> Result<()> {
        let Some(new) = new.first().map(|memory| memory.id) else { return Ok(()) };
        let mut links = vec![Link { from: new, ..self.link.clone() }];
        if let Some(because) = self.because {
            load(tx, because).await?;
            links.push(plain(new, Relation::DerivedFrom, because, self.now));
        }
        for record in stated_in(tx.as_reader(), self.id).await? {
            let Some(stated) = tx.memory(record).await?.filter(|stated| stated.holds_at(self.now)) else { continue };
            if stated.state == MemoryState::Active && record != new {
                end(tx, &stated, self.now).await?;
                links.push(plain(new, Relation::Supersedes, record, self.now));
            }
        }
        add(tx, &links).await?;
        tx.audit(&entry(self.now, self.action, Some(self.id.to_string()), 1)).await
    }
}

/// Makes a replaced record hold again, until a time; removes what the decision at `at` wrote about its end.
pub(super) async fn hold_again(
    tx: &mut dyn VaultTransaction,
    (kept, lost): (MemoryId, MemoryId),
    (at, until): (Timestamp, Option<Timestamp>),
    now: Timestamp,
) -> Result<()> {
    let before = load(tx, lost).await?;
    set_end(tx, before, until, now).await?;
    delete(tx, &Ending::query().is("memory_id", lost).is("at", at)).await?;
    // A link that existed before stays.
    let link = Link::named((kept, Relation::Supersedes, lost));
    if find::<Link>(tx.as_reader(), &link).await?.iter().any(|link| link.created_at == at) {
        delete(tx, &link).await?;
    }
    hold_resting(tx, (lost, at), now).await
}

/// Ends a record now; returns until when it held. Fails if it is not active, or has ended already.
pub(super) async fn end(tx: &mut dyn VaultTransaction, before: &Memory, now: Timestamp) -> Result<Timestamp> {
    end_at(tx, before, now, now).await
}

/// Like [`end`], at a time that was stated, which may be past.
pub(super) async fn end_at(
    tx: &mut dyn VaultTransaction,
    before: &Memory,
    at: Timestamp,
    now: Timestamp,
) -> Result<Timestamp> {
    if before.state != MemoryState::Active {
        let allowed = "restore it first";
        return Err(Error::WrongState { id: before.id.to_string(), state: before.state, allowed });
    }
    if before.draft.valid_to.is_some_and(|until| until <= now) {
        return Err(Error::conflict("id", "is no longer valid; correct or revise the memory that replaced it"));
    }
    let until = at.max(earliest_end(before).unwrap_or(at));
    set_end(tx, before.clone(), Some(until), now).await?;
    withdraw_resting(tx, before.id, now).await?;
    Ok(until)
}

/// Returns the first moment at which a record that has a start may end: right after it, where it never held.
pub(super) fn earliest_end(memory: &Memory) -> Option<Timestamp> {
    memory.draft.valid_from.map(|from| Timestamp(from.0.saturating_add(1)))
}

/// Sets until when a record holds.
pub(super) async fn set_end(
    tx: &mut dyn VaultTransaction,
    before: Memory,
    until: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    let draft = MemoryDraft { valid_to: until, ..before.draft.clone() };
    let memory = Memory { draft, updated_at: now, revision: before.revision + 1, ..before };
    tx.update_memory(&memory, None).await
}
