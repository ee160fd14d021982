//! The transaction: takes turns that are still unread, and stores what they state that was not known.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::links::add;
use super::super::prepared::Prepared;
use super::super::store_conversation::{StoreConversation, Stored};
use super::super::supersede::end_at;
use super::super::support::{entry, load};
use super::draft::draft;
use super::reading::Reading;
use super::replaced::Replaced;
use crate::bounds::MAX_LINKS_PER_MEMORY;
use crate::context::{Digest, Fingerprints};
use crate::error::{Error, Result};
use crate::extraction::{Candidate, Domain, LeftOut, ReadTurn, StatementRow, UnreadTurn, Why, said_again};
use crate::ids::MemoryId;
use crate::links::{Direction, Link, LinkDraft, Relation};
use crate::memory::{Detail, Memory, MemoryState, Role, SourceType};
use crate::ports::{Ids, VaultTransaction, WriteContext};
use crate::settings::ServerDefaults;
use crate::tables::{TableRow as _, count, delete, find, put};
use crate::time::Timestamp;

/// Turns to take; only the last one may yield something.
pub(super) struct Work {
    pub(super) readings: Vec<Reading>,
    pub(super) prints: Fingerprints,
    pub(super) now: Timestamp,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) defaults: Arc<ServerDefaults>,
}

/// A candidate that states something new, and the records that it replaces.
struct New<'r> {
    candidate: &'r Candidate,
    statement: Digest,
    item: Prepared,
    before: BTreeSet<MemoryId>,
    /// Records in the same slot that were stated later, and so replace it.
    after: BTreeSet<MemoryId>,
}

impl Work {
    pub(super) async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(Vec<ReadTurn>, Stored)> {
        let context = tx.write_context(None).await?;
        let (mut read, mut stored) = (Vec::new(), Stored::default());
        for reading in &self.readings {
            let says_the_same = tx.memory(reading.turn.id).await?.is_some_and(|turn| turn.draft == reading.turn.draft);
            let is_mine = says_the_same && delete(tx, &UnreadTurn::query().is("turn_id", reading.turn.id)).await? > 0;
            if !is_mine {
                continue;
            }
            let mut turn = ReadTurn::new(reading.turn.id, reading.found.left_out.clone(), reading.by);
            if !reading.found.candidates.is_empty() {
                stored = self.take(tx, &context, reading, &mut turn).await?;
            }
            read.push(turn);
        }
        Ok((read, stored))
    }

    async fn take(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        reading: &Reading,
        turn: &mut ReadTurn,
    ) -> Result<Stored> {
        let domain = Domain::of(&reading.turn);
        let mut news: Vec<New<'_>> = Vec::new();
        for candidate in &reading.found.candidates {
            let statement = domain.statement(&self.prints, candidate);
            if news.iter().any(|new| new.statement == statement) {
                turn.left_out.push(left_out(candidate, Why::Surplus));
                continue;
            }
            match self.holding(tx, statement).await?.into_iter().next() {
                Some(known) => self.corroborate(tx, reading, candidate, known, turn).await?,
                None => news.extend(self.prepare(tx, &domain, reading, candidate, turn).await?),
            }
        }
        if news.is_empty() {
            return Ok(Stored::default());
        }
        let items: Vec<Prepared> = news.iter().map(|new| new.item.clone()).collect();
        let storing = StoreConversation {
            action: "conversation.extract",
            now: self.now,
            ids: &self.ids,
            defaults: &self.defaults,
            caller: None,
            traceparent: None,
        };
        let stored = match storing.run(tx, context, &items).await {
            // The consent that covers the turn has ended, so nothing more is derived from it.
            Err(Error::ConsentRequired { .. }) => {
                let left = news.iter().map(|new| left_out(new.candidate, Why::Sensitive));
                turn.left_out.extend(left);
                return Ok(Stored::default());
            }
            stored => stored?,
        };
        self.connect(tx, &domain, reading, &news, turn).await?;
        Ok(stored)
    }

    /// Returns the records that make a statement, are active and are valid now.
    pub(super) async fn holding(&self, tx: &mut dyn VaultTransaction, digest: Digest) -> Result<Vec<Memory>> {
        let mut holding = Vec::new();
        for row in find::<StatementRow>(tx.as_reader(), &StatementRow::stating(digest)).await? {
            let memory = tx.memory(row.memory).await?;
            holding.extend(memory.filter(|memory| self.holds(memory)));
        }
        Ok(holding)
    }

    pub(super) fn holds(&self, memory: &Memory) -> bool {
        memory.state == MemoryState::Active && memory.draft.valid_to.is_none_or(|end| end > self.now)
    }

    /// Corroborates a known record. Repeated by a person, it becomes more certain and important; an assistant only repeats
    /// what it heard.
    async fn corroborate(
        &self,
        tx: &mut dyn VaultTransaction,
        reading: &Reading,
        candidate: &Candidate,
        mut known: Memory,
        turn: &mut ReadTurn,
    ) -> Result<()> {
        if takes_links(tx, known.id).await? {
            add(tx, &[self.derived(known.id, reading, candidate)]).await?;
        }
        if role(reading) == Role::User {
            known.belief.corroborate(known.created_at, self.now);
            if let Some(times) = known.belief.corroborations() {
                known.draft.importance = said_again(known.draft.importance, times);
            }
            known.revision += 1;
            known.updated_at = self.now;
            tx.update_memory(&known, None).await?;
            tx.audit(&entry(self.now, "memory.corroborate", Some(known.id.to_string()), 1)).await?;
        }
        turn.merged.push(known.id);
        Ok(())
    }

    /// Prepares the record of a candidate; `None` if it is out of bounds.
    async fn prepare<'r>(
        &self,
        tx: &mut dyn VaultTransaction,
        domain: &Domain,
        reading: &Reading,
        candidate: &'r Candidate,
        turn: &mut ReadTurn,
    ) -> Result<Option<New<'r>>> {
        let Ok(mut draft) = draft(candidate, &reading.turn).normalized("memory", self.defaults.draft_limits) else {
            turn.left_out.push(left_out(candidate, Why::Nothing));
            return Ok(None);
        };
        let Replaced { before, after } = self.replaced(tx, domain, reading, candidate).await?;
        if !before.is_empty() {
            // It begins where what it replaces ends.
            draft.valid_from = draft.valid_from.or_else(|| Some(said_at(&reading.turn)));
        }
        let since = after.iter().map(|(_, since)| *since).min();
        if let Some(since) = since.filter(|since| draft.valid_from.is_none_or(|from| from < *since)) {
            draft.valid_to = Some(draft.valid_to.map_or(since, |to| to.min(since)));
        }
        let after = after.into_iter().map(|(id, _)| id).collect();
        let id = MemoryId(self.ids.new_id(self.now));
        let statement = domain.statement(&self.prints, candidate);
        Ok(Some(New { candidate, statement, item: Prepared::new(draft, id, self.now, None), before, after }))
    }

    /// Writes the rows that belong to new records: their statements, the links to their sentences, and the end of what they replace.
    async fn connect(
        &self,
        tx: &mut dyn VaultTransaction,
        domain: &Domain,
        reading: &Reading,
        news: &[New<'_>],
        turn: &mut ReadTurn,
    ) -> Result<()> {
        let (mut links, mut rows) = (Vec::new(), Vec::new());
        for New { candidate, statement, item, before, after } in news {
            let memory = item.memory.id;
            turn.made.push(memory);
            links.push(self.derived(memory, reading, candidate));
            let slot = domain.slot(&self.prints, candidate);
            let digests = [Some(*statement), slot];
            rows.extend(digests.into_iter().flatten().map(|digest| StatementRow { digest, memory }));
            links.extend(after.iter().map(|id| self.link(LinkDraft::new(*id, Relation::Supersedes, memory))));
            for id in before {
                // Load it again, as the same turn may have corroborated or ended it.
                let old = load(tx, *id).await?;
                if self.holds(&old) && takes_links(tx, *id).await? {
                    end_at(tx, &old, said_at(&reading.turn), self.now).await?;
                    tx.audit(&entry(self.now, "memory.supersede", Some(id.to_string()), 1)).await?;
                    turn.superseded.push(*id);
                    links.push(self.link(LinkDraft::new(memory, Relation::Supersedes, *id)));
                }
            }
        }
        put(tx, &rows).await?;
        add(tx, &links).await
    }

    /// Makes the link from a record to the sentence that states it.
    fn derived(&self, memory: MemoryId, reading: &Reading, candidate: &Candidate) -> Link {
        let draft = LinkDraft {
            confidence: Some(candidate.confidence),
            evidence: candidate.source_context.clone(),
            ..LinkDraft::new(memory, Relation::DerivedFrom, reading.turn.id)
        };
        let ends = (u32::try_from(candidate.span.start), u32::try_from(candidate.span.end));
        let span = if let (Ok(start), Ok(end)) = ends { Some(start..end) } else { None };
        Link { span, ..self.link(draft) }
    }

    fn link(&self, draft: LinkDraft) -> Link {
        LinkDraft { source: Some(SourceType::Extraction), ..draft }.into_link(self.now)
    }
}

/// Reports whether a record has room for one more link.
async fn takes_links(tx: &mut dyn VaultTransaction, id: MemoryId) -> Result<bool> {
    let links = count(tx.as_reader(), &Link::of([id], Direction::Both).with_withheld()).await?;
    Ok(links < MAX_LINKS_PER_MEMORY as u64)
}

fn left_out(candidate: &Candidate, why: Why) -> LeftOut {
    LeftOut { why, span: candidate.span.clone() }
}

pub(super) fn role(reading: &Reading) -> Role {
    match &reading.turn.draft.detail {
        Some(Detail::Turn(turn)) => turn.role,
        _ => Role::System,
    }
}

pub(super) fn said_at(turn: &Memory) -> Timestamp {
    turn.draft.occurred_at.unwrap_or(turn.created_at)
}
