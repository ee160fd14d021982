//! The transaction: stores a summary of the turns that are unchanged and uncovered, and links to them.

use std::sync::Arc;

use super::super::links::add;
use super::super::prepared::Prepared;
use super::super::store_conversation::{StoreConversation, Stored};
use super::next::{Conversation, covered};
use super::{Made, again, draft};
use crate::compacting::{Spoken, by_model, spoken};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Link, LinkDraft, Relation};
use crate::memory::{Memory, MemoryDraft, MemoryState, SourceType};
use crate::ports::{Ids, Job, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;

/// Turns with the same consent and sensitivity, in the order of the conversation, and what is needed to summarize them.
pub(super) struct Work {
    pub(super) turns: Vec<Memory>,
    /// Seconds until a job has the language model reword the summary; `None` without a model.
    pub(super) asks_in_s: Option<u64>,
    pub(super) now: Timestamp,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) defaults: Arc<ServerDefaults>,
}

impl Work {
    pub(super) async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Made> {
        let turns = self.standing(tx).await?;
        let said: Vec<Spoken<'_>> = turns.iter().filter_map(spoken).collect();
        let Some(draft) = draft::of_turns(&turns, &said, self.defaults.draft_limits)? else {
            return Ok(Made::default());
        };
        let covers: Vec<MemoryId> = turns.iter().map(|turn| turn.id).collect();
        let conversation = conversation(&draft);
        let (summary, stored) = self.store(tx, draft, &covers).await?;
        let mut made = Made { summaries: vec![summary], turns: covers.len() as u64, ..Made::default() };
        made.stored.push(stored);
        if let Some(first) = turns.first() {
            again::summarize(self, tx, (&conversation, first), &mut made).await?;
            let is_worth_it = by_model::is_worth_asking(&said, first.draft.metadata.sensitive);
            if is_worth_it && made.summaries.contains(&summary) {
                made.asked = self.ask_later(tx, summary).await?;
            }
        }
        Ok(made)
    }

    /// Enqueues the rewording job, if there is a model: the transaction does not wait for one.
    async fn ask_later(&self, tx: &mut dyn VaultTransaction, summary: MemoryId) -> Result<Option<MemoryId>> {
        let Some(after_s) = self.asks_in_s else { return Ok(None) };
        let job = Job::Summarize { summary_id: summary, after_s };
        tx.enqueue(self.ids.new_id(self.now), &job, self.now, None).await?;
        Ok(Some(summary))
    }

    /// Returns the turns that are unchanged since they were read and that no summary covers.
    async fn standing(&self, tx: &mut dyn VaultTransaction) -> Result<Vec<Memory>> {
        let covered = covered(tx.as_reader(), &self.turns).await?;
        let mut standing = Vec::with_capacity(self.turns.len());
        for turn in self.turns.iter().filter(|turn| !covered.contains(&turn.id)) {
            let now = tx.memory(turn.id).await?;
            if now.is_some_and(|now| now.draft == turn.draft && now.state != MemoryState::Deleted) {
                standing.push(turn.clone());
            }
        }
        Ok(standing)
    }

    /// Stores a summary with its links to what it covers.
    pub(super) async fn store(
        &self,
        tx: &mut dyn VaultTransaction,
        draft: MemoryDraft,
        covers: &[MemoryId],
    ) -> Result<(MemoryId, Stored)> {
        let context = tx.write_context(None).await?;
        let storing = StoreConversation {
            action: "conversation.compact",
            now: self.now,
            ids: &self.ids,
            defaults: &self.defaults,
            caller: None,
            traceparent: None,
        };
        let id = MemoryId(self.ids.new_id(self.now));
        let stored = storing.run(tx, &context, &[Prepared::new(draft, id, self.now, None)]).await?;
        let link = |turn: &MemoryId| {
            let source = Some(SourceType::Consolidation);
            LinkDraft { source, ..LinkDraft::new(id, Relation::Summarizes, *turn) }.into_link(self.now)
        };
        let links: Vec<Link> = covers.iter().map(link).collect();
        add(tx, &links).await?;
        Ok((id, stored))
    }
}

fn conversation(draft: &MemoryDraft) -> Conversation {
    Conversation { session: draft.session_id.clone().unwrap_or_default(), namespace: draft.namespace.clone() }
}
