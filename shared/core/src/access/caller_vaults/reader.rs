//! Reading within a caller's reach.

use async_trait::async_trait;

use super::{Limited, refused};
use crate::attachments::{Attachment, AttachmentUsage, PendingBlobs};
use crate::audit::AuditRecord;
use crate::consent::ConsentRecord;
use crate::embedding::{EligibleSubject, EmbeddingLedger};
use crate::error::Result;
use crate::goals::{Goal, GoalStatus};
use crate::ids::{BlobId, GoalId, MeditationId, MemoryId, Seq};
use crate::meditation::{Meditation, RecordedDecision, RetentionItem, ScoringItem, TagOutcomes};
use crate::memory::{ChangeRange, ListOrder, Memory, MemoryFilter, MemoryRecord};
use crate::ports::{
    AttachmentQuery, AuditQuery, AuditRange, AuditReader, ChangeQuery, ConsentCount, ConsentQuery, ImportProgress,
    LexicalHit, LexicalQuery, ListKey, Named, NamesQuery, Neighbour, OutboxRow, RowFacts, SeenChange, SessionSpot,
    VaultReader, VaultSizes, WriteContext,
};
use crate::scoring::ScoreRecord;
use crate::settings::StoredSettings;
use crate::tables::{Row, RowCount, RowQuery};
use crate::time::Timestamp;
use crate::usage::Usage;

#[async_trait]
impl<R: VaultReader + ?Sized> VaultReader for Limited<'_, R> {
    /// Unfiltered, since writes are decided by it: quotas count all memories. No use case returns any of it.
    async fn write_context(&mut self, request_id: Option<&str>) -> Result<WriteContext> {
        self.inner.write_context(request_id).await
    }
    /// Unfiltered, since recall and storing depend on it; `GetSettings` is refused earlier.
    async fn settings(&mut self) -> Result<StoredSettings> {
        self.inner.settings().await
    }
    async fn usage(&mut self) -> Result<Usage> {
        refused()
    }
    async fn recount(&mut self) -> Result<Usage> {
        refused()
    }
    async fn sizes(&mut self) -> Result<VaultSizes> {
        refused()
    }

    async fn row_facts(&mut self, ids: &[MemoryId]) -> Result<Vec<Option<RowFacts>>> {
        let facts = self.inner.row_facts(ids).await?;
        Ok(facts.into_iter().map(|facts| facts.filter(|facts| self.rows.admit_facts(facts))).collect())
    }
    async fn memory(&mut self, id: MemoryId) -> Result<Option<Memory>> {
        if self.reached(&[id]).await?.is_empty() { Ok(None) } else { self.inner.memory(id).await }
    }
    async fn memories(&mut self, seqs: &[Seq]) -> Result<Vec<Memory>> {
        let mut memories = self.inner.memories(seqs).await?;
        memories.retain(|memory| self.rows.admit(memory));
        Ok(memories)
    }
    async fn seqs(&mut self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Seq)>> {
        Ok(self.reached(ids).await?.into_iter().map(|(id, facts)| (id, facts.seq)).collect())
    }
    async fn list(
        &mut self,
        filter: &MemoryFilter,
        order: ListOrder,
        after: Option<ListKey>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Vec<Memory>> {
        let Some(filter) = self.rows.within(filter) else { return Ok(Vec::new()) };
        self.inner.list(&filter, order, after, limit, max_bytes).await
    }
    async fn id_named(&mut self, namespace: &str, name: &str) -> Result<Option<MemoryId>> {
        let id = self.inner.id_named(namespace, name).await?;
        Ok(match id {
            Some(id) => self.reached(&[id]).await?.pop().map(|(id, _)| id),
            None => None,
        })
    }
    async fn names(&mut self, query: &NamesQuery) -> Result<Vec<Named>> {
        let Some(filter) = self.rows.within(&query.filter) else { return Ok(Vec::new()) };
        self.inner.names(&NamesQuery { filter, ..query.clone() }).await
    }
    /// Without the parts of the score that reveal goals and other memories.
    async fn score_record(&mut self, seq: Seq) -> Result<Option<ScoreRecord>> {
        if self.reached_numbers(&[seq]).await?.is_empty() {
            return Ok(None);
        }
        Ok(self.inner.score_record(seq).await?.map(ScoreRecord::of_itself))
    }
    /// Without sentences and positions, which reveal other memories.
    async fn decisions_about(&mut self, id: MemoryId, limit: usize) -> Result<Vec<RecordedDecision>> {
        if self.reached(&[id]).await?.is_empty() {
            return Ok(Vec::new());
        }
        let mut decisions = self.inner.decisions_about(id, limit).await?;
        for recorded in &mut decisions {
            recorded.about(id);
        }
        Ok(decisions)
    }

    async fn lexical(&mut self, query: &LexicalQuery, limit: usize) -> Result<Vec<LexicalHit>> {
        let Some(filter) = self.rows.within(&query.filter) else { return Ok(Vec::new()) };
        self.inner.lexical(&LexicalQuery { filter, ..query.clone() }, limit).await
    }
    async fn at_spots(&mut self, spots: &[SessionSpot], filter: &MemoryFilter) -> Result<Vec<Neighbour>> {
        let Some(filter) = self.rows.within(filter) else { return Ok(Vec::new()) };
        self.inner.at_spots(spots, &filter).await
    }
    async fn at_seqs(&mut self, seqs: &[Seq], filter: &MemoryFilter) -> Result<Vec<LexicalHit>> {
        let Some(filter) = self.rows.within(filter) else { return Ok(Vec::new()) };
        self.inner.at_seqs(seqs, &filter).await
    }
    async fn substring(&mut self, text: &str, filter: &MemoryFilter, limit: usize) -> Result<Vec<LexicalHit>> {
        let Some(filter) = self.rows.within(filter) else { return Ok(Vec::new()) };
        self.inner.substring(text, &filter, limit).await
    }
    async fn known_words(&mut self, words: &[String], among: Option<&MemoryFilter>) -> Result<Vec<bool>> {
        let reached = self.rows.filter();
        match self.rows.within(among.unwrap_or(&reached)) {
            Some(filter) => self.inner.known_words(words, Some(&filter)).await,
            None => Ok(vec![false; words.len()]),
        }
    }
    /// Always empty: words of memories out of reach would displace others.
    async fn vocabulary(&mut self, _: &[char], _: usize, _: usize) -> Result<Vec<(String, u64)>> {
        Ok(Vec::new())
    }
    /// Always empty, since some speakers may have spoken only in memories out of reach.
    async fn speakers(&mut self) -> Result<Vec<(i64, String)>> {
        Ok(Vec::new())
    }
    /// Unfiltered: callers never see it.
    async fn data_version(&mut self) -> Result<u64> {
        self.inner.data_version().await
    }
    /// Unfiltered for the same reason.
    async fn evidence_version(&mut self) -> Result<u64> {
        self.inner.evidence_version().await
    }

    /// Unfiltered: callers see change numbers only inside cursors, which they cannot read.
    async fn change_range(&mut self) -> Result<ChangeRange> {
        self.inner.change_range().await
    }
    /// Changes of memories erased since do not pass: whether those were in reach is no longer known.
    async fn changes(&mut self, query: &ChangeQuery) -> Result<Vec<SeenChange>> {
        self.reachable_changes(query).await
    }
    async fn export(
        &mut self,
        filter: &MemoryFilter,
        after: Option<Seq>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Vec<MemoryRecord>> {
        let Some(filter) = self.rows.within(filter) else { return Ok(Vec::new()) };
        let records = self.inner.export(&filter, after, limit, max_bytes).await?;
        Ok(records.into_iter().map(of_itself).collect())
    }
    async fn records(&mut self, ids: &[MemoryId]) -> Result<Vec<MemoryRecord>> {
        let ids: Vec<MemoryId> = self.reached(ids).await?.into_iter().map(|(id, _)| id).collect();
        Ok(self.inner.records(&ids).await?.into_iter().map(of_itself).collect())
    }
    async fn import_progress(&mut self, _: &str) -> Result<Option<ImportProgress>> {
        refused()
    }

    /// Returns rows whose memories are all reachable; refuses tables without memory columns.
    async fn rows(&mut self, query: &RowQuery) -> Result<Vec<Row>> {
        match self.rows_within(query)? {
            Some(query) => self.inner.rows(&query).await,
            None => Ok(Vec::new()),
        }
    }
    /// Unfiltered if the query asks for `whole`: such a count decides what an erasure takes along and is never returned.
    async fn count_rows(&mut self, query: &RowQuery, sum: Option<&'static str>) -> Result<RowCount> {
        if query.whole {
            return self.inner.count_rows(query, sum).await;
        }
        match self.rows_within(query)? {
            Some(query) => self.inner.count_rows(&query, sum).await,
            None => Ok(RowCount::default()),
        }
    }

    async fn seqs_without_row(&mut self, _: &RowQuery) -> Result<Vec<Seq>> {
        refused()
    }

    async fn goal(&mut self, _: GoalId) -> Result<Option<Goal>> {
        refused()
    }
    async fn goals(&mut self, _: Option<GoalStatus>, _: Option<(Timestamp, GoalId)>, _: usize) -> Result<Vec<Goal>> {
        refused()
    }
    async fn count_goals(&mut self) -> Result<(usize, usize)> {
        refused()
    }

    /// Unfiltered, since they decide what may be stored; no call that such a caller may make returns them.
    async fn consents(&mut self, query: &ConsentQuery) -> Result<Vec<ConsentRecord>> {
        self.inner.consents(query).await
    }
    async fn count_consents(&mut self, _: Timestamp) -> Result<ConsentCount> {
        refused()
    }

    /// Returns attachments of reachable memories and the caller's own uploads that belong to no memory.
    async fn attachments(&mut self, query: &AttachmentQuery) -> Result<Vec<Attachment>> {
        self.reachable_attachments(query).await
    }
    async fn every_attachment(&mut self, _: &AttachmentQuery) -> Result<Vec<Attachment>> {
        refused()
    }
    /// Unfiltered, since uploads are decided by it. No call that such a caller may make returns it.
    async fn attachment_usage(&mut self) -> Result<AttachmentUsage> {
        self.inner.attachment_usage().await
    }
    /// Unfiltered: blobs left over by this caller's writes are removed together with all others. The caller never sees it.
    async fn pending_blobs(&mut self, limit: usize) -> Result<PendingBlobs> {
        self.inner.pending_blobs(limit).await
    }
    async fn blobs(&mut self, _: Option<BlobId>, _: usize) -> Result<Vec<(BlobId, bool)>> {
        refused()
    }

    async fn meditation(&mut self, _: MeditationId) -> Result<Option<Meditation>> {
        refused()
    }
    async fn meditations(&mut self, _: Option<MeditationId>, _: usize) -> Result<Vec<Meditation>> {
        refused()
    }
    async fn waiting_meditation(&mut self) -> Result<Option<Meditation>> {
        refused()
    }
    async fn last_meditation(&mut self) -> Result<Option<Timestamp>> {
        refused()
    }
    async fn decisions(&mut self, _: MeditationId, _: u64, _: usize) -> Result<Vec<RecordedDecision>> {
        refused()
    }

    async fn scoring_items(&mut self, _: bool, _: Option<Seq>, _: usize) -> Result<Vec<ScoringItem>> {
        refused()
    }
    /// Always empty: outcomes of memories out of reach would show in scores. The next meditation counts them all.
    async fn tag_outcomes(&mut self) -> Result<Vec<TagOutcomes>> {
        Ok(Vec::new())
    }
    async fn retention_items(&mut self) -> Result<Vec<RetentionItem>> {
        refused()
    }
    /// Unfiltered, like quotas: it decides whether a meditation makes room, and is never returned.
    async fn movable_bytes(&mut self) -> Result<[u64; 3]> {
        self.inner.movable_bytes().await
    }
    /// Unfiltered for the same reason: it decides what may still be protected.
    async fn lasting_bytes(&mut self) -> Result<[u64; 3]> {
        self.inner.lasting_bytes().await
    }
    async fn session_number(&mut self, session_id: &str) -> Result<Option<i64>> {
        let filter = MemoryFilter { session_id: Some(session_id.to_owned()), ..self.rows.filter() };
        let reached = self.inner.list(&filter, ListOrder::NewestFirst, None, 1, 1).await?;
        if reached.is_empty() { Ok(None) } else { self.inner.session_number(session_id).await }
    }
    async fn pruned_on(&mut self, _: i64) -> Result<u64> {
        refused()
    }
    /// Always a default ledger: a recall only asks whether the user turned vectors off.
    async fn embedding_ledger(&mut self, _: i64) -> Result<EmbeddingLedger> {
        Ok(EmbeddingLedger::default())
    }
    async fn embedding_subjects(&mut self) -> Result<Vec<EligibleSubject>> {
        refused()
    }
    async fn outbox(&mut self, _: usize) -> Result<Vec<OutboxRow>> {
        refused()
    }
}

#[async_trait]
impl<R: VaultReader + ?Sized> AuditReader for Limited<'_, R> {
    async fn audit_range(&mut self) -> Result<AuditRange> {
        refused()
    }
    async fn audit_entries(&mut self, _: &AuditQuery) -> Result<Vec<AuditRecord>> {
        refused()
    }
}

/// Returns a record without the parts of its score that reveal goals and other memories.
fn of_itself(record: MemoryRecord) -> MemoryRecord {
    MemoryRecord { score: record.score.map(ScoreRecord::of_itself), ..record }
}
