//! Recognizes drafts of an earlier import, or that were written otherwise: a later export of the same chats, notes or
//! entities adds only what is new.

use std::collections::HashMap;

use super::super::create_memories::{Identity, Known, joined};
use super::super::support::named;
use super::super::write_back::{Versioning, WriteBack};
use super::items::Ready;
use super::piece::Piece;
use crate::context::Digest;
use crate::entities::Card;
use crate::error::{Error, Result};
use crate::ids::ConsentId;
use crate::memory::{Memory, MemoryDraft, MemoryReceipt, MemoryRecord, size_bytes};
use crate::ports::{VaultTransaction, WriteContext};

/// The statements that are known before a piece, and those that it adds.
pub(super) struct Again {
    known: Known,
    /// Positions of the new records of the piece.
    new: HashMap<(Identity, Option<ConsentId>), usize>,
}

impl Piece {
    /// Looks for what is known of the statements of the piece.
    pub(super) async fn again(&self, tx: &mut dyn VaultTransaction) -> Result<Again> {
        let drafts = self.items.iter().filter(|(_, item)| item.id_of_record().is_none());
        let digests: Vec<Digest> = drafts.filter_map(|(_, item)| self.digest(item.draft())).collect();
        Ok(Again { known: Known::among(tx.as_reader(), digests.into_iter(), self.now).await?, new: HashMap::new() })
    }

    /// Returns the digest of a draft's statement.
    pub(super) fn digest(&self, draft: &MemoryDraft) -> Option<Digest> {
        Some(Identity::of(draft)?.digest(&self.prints))
    }

    /// Returns the outcome of a draft whose statement is known, or whose entity is: the record with what the draft adds.
    /// `None` for a new one.
    pub(super) async fn stated(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        again: &Again,
        (item, record, before): (&Ready, &MemoryRecord, &mut [MemoryRecord]),
    ) -> Result<Option<Result<MemoryReceipt>>> {
        if item.id_of_record().is_some() {
            return Ok(None);
        }
        let draft = &record.memory.draft;
        let receipt = |memory: &Memory| MemoryReceipt { existing: true, masked: item.is_masked(), ..memory.receipt() };
        if let Some(first) = again.first(draft).and_then(|at| before.get_mut(at)) {
            let tier = first.memory.draft.tier;
            first.memory.draft = MemoryDraft { tier, ..joined(&first.memory.draft, draft) };
            first.memory.size_bytes = size_bytes(&first.memory.draft);
            return Ok(Some(Ok(receipt(&first.memory))));
        }
        let added = match (self.digest(draft), entity(tx, draft).await?) {
            (_, Some(added)) => Some(added),
            (Some(digest), None) => {
                let known = again.known.stating(tx.as_reader(), digest, draft).await?;
                known.map(|known| (joined(&known.draft, draft), known))
            }
            (None, None) => None,
        };
        let Some((joined, known)) = added else { return Ok(None) };
        match self.rewritten(tx, context, known, joined).await {
            Ok(memory) => Ok(Some(Ok(receipt(&memory)))),
            Err(refused @ (Error::Invalid(_) | Error::TooMuchProtected { .. })) => Ok(Some(Err(refused))),
            Err(error) => Err(error),
        }
    }

    /// Stores a draft in place of that of a record, if anything differs.
    async fn rewritten(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        before: Memory,
        draft: MemoryDraft,
    ) -> Result<Memory> {
        if before.draft == draft {
            return Ok(before);
        }
        let draft = draft.normalized("item.draft", self.defaults.draft_limits)?;
        let mut memory = Memory { draft, updated_at: self.now, revision: before.revision + 1, ..before.clone() };
        let write = WriteBack {
            action: "memory.import",
            now: self.now,
            ids: &*self.ids,
            defaults: &self.defaults,
            caller: self.caller.as_deref(),
            seals: self.seals,
            names_consent: false,
            versioning: &Versioning::default(),
            trace: None,
        };
        write.store(tx, context, &before, &mut memory).await?;
        Ok(memory)
    }
}

/// Returns the record of the entity that a draft describes, and its draft with what is new; `None` if there is none, or
/// if they are not equally sensitive.
async fn entity(tx: &mut dyn VaultTransaction, draft: &MemoryDraft) -> Result<Option<(MemoryDraft, Memory)>> {
    let Some((name, said)) = draft.name.as_deref().and_then(|name| Some((name, Card::read(name, &draft.content)?)))
    else {
        return Ok(None);
    };
    let before = match named(tx.as_reader(), &draft.namespace, name).await {
        Err(Error::NotFound { .. }) => return Ok(None),
        before => before?,
    };
    let Some(mut card) = Card::read(name, &before.draft.content) else { return Ok(None) };
    if before.draft.metadata.sensitive != draft.metadata.sensitive {
        return Ok(None);
    }
    let mut joined = before.draft.clone();
    if card.join(&said) {
        joined.content = card.text();
    }
    Ok(Some((joined, before)))
}

impl Again {
    /// Returns the position of the new record of the piece that states what a draft states.
    fn first(&self, draft: &MemoryDraft) -> Option<usize> {
        self.new.get(&(Identity::of(draft)?, draft.consent_id)).copied()
    }

    /// Notes the statement of a new record at a position of the piece. A record that was exported stays as it is.
    pub(super) fn add(&mut self, item: &Ready, record: &MemoryRecord, at: usize) {
        let draft = &record.memory.draft;
        if let Some(identity) = Identity::of(draft).filter(|_| item.id_of_record().is_none()) {
            self.new.entry((identity, draft.consent_id)).or_insert(at);
        }
    }
}
