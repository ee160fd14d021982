//! Reading a vault: one file per concern, and the port's methods, which only name them.

use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::attachments::{Attachment, AttachmentUsage, PendingBlobs};
use kimberly_core::audit::{Actor, AuditRecord};
use kimberly_core::consent::ConsentRecord;
use kimberly_core::embedding::{EligibleSubject, EmbeddingLedger};
use kimberly_core::error::Result;
use kimberly_core::goals::{Goal, GoalStatus};
use kimberly_core::ids::{BlobId, GoalId, MeditationId, MemoryId, Seq};
use kimberly_core::meditation::{Meditation, RecordedDecision, RetentionItem, ScoringItem, TagOutcomes};
use kimberly_core::memory::{ChangeRange, ListOrder, Memory, MemoryFilter, MemoryRecord};
use kimberly_core::ports::{
    AttachmentQuery, AuditQuery, AuditRange, AuditReader, ChangeQuery, ConsentCount, ConsentQuery, ImportProgress,
    LexicalHit, LexicalQuery, ListKey, Neighbour, OutboxRow, RowFacts, SeenChange, SessionSpot, VaultReader,
    VaultSizes, WriteContext,
};
use kimberly_core::scoring::ScoreRecord;
use kimberly_core::settings::StoredSettings;
use kimberly_core::time::Timestamp;
use kimberly_core::usage::Usage;

use super::audit::{In, Log};
use super::conn::Conn;
use super::kept::Kept;
use super::unported;
use crate::audit::{Stored as _, entries};

/// Marks access that only reads.
pub(crate) struct Reading;
/// Marks access within a transaction.
pub(crate) struct Writing;

/// Access to one vault within one snapshot or transaction.
pub(crate) struct Access<'c, M> {
    pub(crate) conn: &'c mut Conn,
    /// What is kept of the vault in memory; transactions have none, as they see what others must not.
    pub(crate) kept: Option<Arc<Kept>>,
    /// Who does what is told as the caller's doing.
    pub(super) acting: Actor,
    mode: PhantomData<M>,
}

impl<'c, M> Access<'c, M> {
    pub(crate) fn new(conn: &'c mut Conn, kept: Option<Arc<Kept>>) -> Self {
        Self { conn, kept, acting: Actor::System, mode: PhantomData }
    }
}

#[async_trait]
impl<M: Send + Sync> VaultReader for Access<'_, M> {
    async fn write_context(&mut self, request_id: Option<&str>) -> Result<WriteContext> {
        Err(unported("write_context"))
    }
    async fn settings(&mut self) -> Result<StoredSettings> {
        Err(unported("settings"))
    }
    async fn usage(&mut self) -> Result<Usage> {
        self.conn.head.usage()
    }
    async fn recount(&mut self) -> Result<Usage> {
        Err(unported("recount"))
    }
    async fn sizes(&mut self) -> Result<VaultSizes> {
        Err(unported("sizes"))
    }
    async fn row_facts(&mut self, ids: &[MemoryId]) -> Result<Vec<Option<RowFacts>>> {
        Err(unported("row_facts"))
    }
    async fn memory(&mut self, id: MemoryId) -> Result<Option<Memory>> {
        Err(unported("memory"))
    }
    async fn memories(&mut self, seqs: &[Seq]) -> Result<Vec<Memory>> {
        Err(unported("memories"))
    }
    async fn seqs(&mut self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Seq)>> {
        Err(unported("seqs"))
    }
    async fn list(
        &mut self,
        filter: &MemoryFilter,
        order: ListOrder,
        after: Option<ListKey>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Vec<Memory>> {
        Err(unported("list"))
    }
    async fn score_record(&mut self, seq: Seq) -> Result<Option<ScoreRecord>> {
        Err(unported("score_record"))
    }
    async fn decisions_about(&mut self, id: MemoryId, limit: usize) -> Result<Vec<RecordedDecision>> {
        Err(unported("decisions_about"))
    }
    async fn lexical(&mut self, query: &LexicalQuery, limit: usize) -> Result<Vec<LexicalHit>> {
        Err(unported("lexical"))
    }
    async fn at_spots(&mut self, spots: &[SessionSpot], filter: &MemoryFilter) -> Result<Vec<Neighbour>> {
        Err(unported("at_spots"))
    }
    async fn at_seqs(&mut self, seqs: &[Seq], filter: &MemoryFilter) -> Result<Vec<LexicalHit>> {
        Err(unported("at_seqs"))
    }
    async fn substring(&mut self, text: &str, filter: &MemoryFilter, limit: usize) -> Result<Vec<LexicalHit>> {
        Err(unported("substring"))
    }
    async fn known_words(&mut self, words: &[String], among: Option<&MemoryFilter>) -> Result<Vec<bool>> {
        Err(unported("known_words"))
    }
    async fn vocabulary(
        &mut self,
        first_letters: &[char],
        min_len: usize,
        max_len: usize,
    ) -> Result<Vec<(String, u64)>> {
        Err(unported("vocabulary"))
    }
    async fn speakers(&mut self) -> Result<Vec<(i64, String)>> {
        Err(unported("speakers"))
    }
    async fn data_version(&mut self) -> Result<u64> {
        Err(unported("data_version"))
    }
    async fn change_range(&mut self) -> Result<ChangeRange> {
        Err(unported("change_range"))
    }
    async fn changes(&mut self, query: &ChangeQuery) -> Result<Vec<SeenChange>> {
        Err(unported("changes"))
    }
    async fn export(
        &mut self,
        filter: &MemoryFilter,
        after: Option<Seq>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Vec<MemoryRecord>> {
        Err(unported("export"))
    }
    async fn records(&mut self, ids: &[MemoryId]) -> Result<Vec<MemoryRecord>> {
        Err(unported("records"))
    }
    async fn import_progress(&mut self, import_id: &str) -> Result<Option<ImportProgress>> {
        Err(unported("import_progress"))
    }
    async fn goal(&mut self, id: GoalId) -> Result<Option<Goal>> {
        Err(unported("goal"))
    }
    async fn goals(
        &mut self,
        status: Option<GoalStatus>,
        after: Option<(Timestamp, GoalId)>,
        limit: usize,
    ) -> Result<Vec<Goal>> {
        Err(unported("goals"))
    }
    async fn count_goals(&mut self) -> Result<(usize, usize)> {
        Err(unported("count_goals"))
    }
    async fn consents(&mut self, query: &ConsentQuery) -> Result<Vec<ConsentRecord>> {
        Err(unported("consents"))
    }
    async fn count_consents(&mut self, at: Timestamp) -> Result<ConsentCount> {
        Err(unported("count_consents"))
    }
    async fn attachments(&mut self, query: &AttachmentQuery) -> Result<Vec<Attachment>> {
        Err(unported("attachments"))
    }
    async fn every_attachment(&mut self, query: &AttachmentQuery) -> Result<Vec<Attachment>> {
        Err(unported("every_attachment"))
    }
    async fn attachment_usage(&mut self) -> Result<AttachmentUsage> {
        Err(unported("attachment_usage"))
    }
    async fn pending_blobs(&mut self, limit: usize) -> Result<PendingBlobs> {
        Err(unported("pending_blobs"))
    }
    async fn blobs(&mut self, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, bool)>> {
        Err(unported("blobs"))
    }
    async fn meditation(&mut self, id: MeditationId) -> Result<Option<Meditation>> {
        Err(unported("meditation"))
    }
    async fn meditations(&mut self, after: Option<MeditationId>, limit: usize) -> Result<Vec<Meditation>> {
        Err(unported("meditations"))
    }
    async fn waiting_meditation(&mut self) -> Result<Option<Meditation>> {
        Err(unported("waiting_meditation"))
    }
    async fn last_meditation(&mut self) -> Result<Option<Timestamp>> {
        Err(unported("last_meditation"))
    }
    async fn decisions(&mut self, id: MeditationId, after: u64, limit: usize) -> Result<Vec<RecordedDecision>> {
        Err(unported("decisions"))
    }
    async fn scoring_items(&mut self, full: bool, after: Option<Seq>, limit: usize) -> Result<Vec<ScoringItem>> {
        Err(unported("scoring_items"))
    }
    async fn tag_outcomes(&mut self) -> Result<Vec<TagOutcomes>> {
        Err(unported("tag_outcomes"))
    }
    async fn retention_items(&mut self) -> Result<Vec<RetentionItem>> {
        Err(unported("retention_items"))
    }
    async fn session_number(&mut self, session_id: &str) -> Result<Option<i64>> {
        Err(unported("session_number"))
    }
    async fn pruned_on(&mut self, day: i64) -> Result<u64> {
        Err(unported("pruned_on"))
    }
    async fn embedding_ledger(&mut self, day: i64) -> Result<EmbeddingLedger> {
        Err(unported("embedding_ledger"))
    }
    async fn embedding_subjects(&mut self) -> Result<Vec<EligibleSubject>> {
        Err(unported("embedding_subjects"))
    }
    async fn outbox(&mut self, limit: usize) -> Result<Vec<OutboxRow>> {
        Err(unported("outbox"))
    }
}

#[async_trait]
impl<M: Send + Sync> AuditReader for Access<'_, M> {
    async fn audit_range(&mut self) -> Result<AuditRange> {
        In::new(self.conn, Log::Vault).range().await
    }
    async fn audit_entries(&mut self, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
        entries(&mut In::new(self.conn, Log::Vault), query).await
    }
}

/// A limit as Postgres takes it.
pub(crate) fn limit(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
