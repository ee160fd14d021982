//! Reads a vault: one file per concern, and the port's methods, which delegate to them.

mod attachments;
mod changes;
mod consents;
mod context;
mod decisions;
mod derived;
mod embedding;
mod export;
mod goals;
mod kept;
mod known;
mod lexical;
mod list;
mod meditations;
mod memories;
mod names;
mod outbox;
mod retention;
mod scoring;
mod sealed;
mod search;
mod seqs;
mod sizes;
mod spots;
mod substring;
mod words;

use std::marker::PhantomData;
use std::path::Path;
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
    KnownAndFound, LexicalHit, LexicalQuery, ListKey, Named, NamesQuery, Neighbour, OutboxRow, RowFacts, SeenChange,
    SessionSpot, VaultReader, VaultSizes, WriteContext,
};
use kimberly_core::scoring::ScoreRecord;
use kimberly_core::settings::StoredSettings;
use kimberly_core::tables::{Row, RowCount, RowQuery};
use kimberly_core::time::Timestamp;
use kimberly_core::usage::Usage;

use super::audit::{In, Log};
use super::conn::Conn;
use super::options::SqliteOptions;
use crate::audit::{Stored as _, entries};
use crate::columns::Columns;
use crate::declared;
use crate::keep::{Keeper, Seen};

pub(crate) use context::usage;
pub(crate) use known::Known;

/// Marks read-only access.
pub(crate) struct Reading;
/// Marks access in a transaction.
pub(crate) struct Writing;

/// Access to one vault over one connection, in one snapshot or transaction.
pub(crate) struct Access<'c, M> {
    pub(crate) conn: &'c mut Conn,
    /// The vault's folder; `None` when reading the empty vault of a user without one.
    folder: Option<&'c Path>,
    /// The cache of columns. `None` in transactions, which see uncommitted changes.
    columns: Option<&'c Keeper<Columns>>,
    /// The mark of the vault's file, which distinguishes it from earlier vaults of the user.
    file: u64,
    seen: Seen<Columns>,
    /// The cache of facts for a version; `None` in transactions.
    known: Option<&'c Keeper<Known>>,
    /// The version, once it was read.
    commits: Option<u64>,
    /// The cached facts of that version.
    here: Option<Arc<Known>>,
    /// Checks free space before additions; `None` for readers.
    room: Option<&'c SqliteOptions>,
    /// The actor that audit entries name.
    pub(super) acting: Actor,
    mode: PhantomData<M>,
}

impl<'c, M> Access<'c, M> {
    pub(crate) fn new(conn: &'c mut Conn, folder: Option<&'c Path>) -> Self {
        Self {
            conn,
            folder,
            columns: None,
            file: 0,
            seen: Seen::Unknown,
            known: None,
            commits: None,
            here: None,
            room: None,
            acting: Actor::System,
            mode: PhantomData,
        }
    }

    /// Adds the caches for readers.
    pub(crate) fn with_kept(self, columns: &'c Keeper<Columns>, known: &'c Keeper<Known>) -> Self {
        Self { columns: Some(columns), known: Some(known), ..self }
    }

    /// Adds the check for free space.
    pub(crate) fn with_room(self, room: &'c SqliteOptions) -> Self {
        Self { room: Some(room), ..self }
    }

    /// Refuses additions while the disk's free space is below the reserve.
    pub(super) fn refuse_adding(&self) -> Result<()> {
        self.room.map_or(Ok(()), SqliteOptions::refuse_adding)
    }

    /// Sets the mark of the file, so that caches of a purged vault are never used for the next one.
    pub(crate) fn of_file(self, mark: u64) -> Self {
        Self { file: mark, ..self }
    }
}

#[async_trait]
impl<M: Send + Sync> VaultReader for Access<'_, M> {
    async fn write_context(&mut self, request_id: Option<&str>) -> Result<WriteContext> {
        context::write_context(self.conn, request_id).await
    }
    async fn settings(&mut self) -> Result<StoredSettings> {
        context::settings(self.conn).await
    }
    async fn usage(&mut self) -> Result<Usage> {
        usage(self.conn).await
    }
    async fn recount(&mut self) -> Result<Usage> {
        derived::recount(self.conn).await
    }
    async fn sizes(&mut self) -> Result<VaultSizes> {
        sizes::sizes(self.conn, self.folder).await
    }
    async fn row_facts(&mut self, ids: &[MemoryId]) -> Result<Vec<Option<RowFacts>>> {
        memories::facts(self.conn, ids).await
    }
    async fn memory(&mut self, id: MemoryId) -> Result<Option<Memory>> {
        memories::by_id(self.conn, id).await
    }
    async fn memories(&mut self, seqs: &[Seq]) -> Result<Vec<Memory>> {
        memories::by_seqs(self.conn, seqs).await
    }
    async fn seqs(&mut self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Seq)>> {
        memories::seqs(self.conn, ids).await
    }
    async fn list(
        &mut self,
        filter: &MemoryFilter,
        order: ListOrder,
        after: Option<ListKey>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Vec<Memory>> {
        list::list(self.conn, filter, list::Page { order, after, limit, max_bytes }).await
    }
    async fn id_named(&mut self, namespace: &str, name: &str) -> Result<Option<MemoryId>> {
        names::id(self.conn, namespace, name).await
    }
    async fn names(&mut self, query: &NamesQuery) -> Result<Vec<Named>> {
        names::names(self.conn, query).await
    }
    async fn score_record(&mut self, seq: Seq) -> Result<Option<ScoreRecord>> {
        memories::score_record(self.conn, seq).await
    }
    async fn decisions_about(&mut self, id: MemoryId, limit: usize) -> Result<Vec<RecordedDecision>> {
        decisions::about(self.conn, id, limit).await
    }
    async fn lexical(&mut self, query: &LexicalQuery, limit: usize) -> Result<Vec<LexicalHit>> {
        lexical::lexical(self, query, limit).await
    }
    async fn at_spots(&mut self, spots: &[SessionSpot], filter: &MemoryFilter) -> Result<Vec<Neighbour>> {
        spots::at_spots(self, spots, filter).await
    }
    async fn at_seqs(&mut self, seqs: &[Seq], filter: &MemoryFilter) -> Result<Vec<LexicalHit>> {
        seqs::at_seqs(self, seqs, filter).await
    }
    async fn substring(&mut self, text: &str, filter: &MemoryFilter, limit: usize) -> Result<Vec<LexicalHit>> {
        substring::substring(self.conn, text, filter, limit).await
    }
    async fn known_words(&mut self, words: &[String], among: Option<&MemoryFilter>) -> Result<Vec<bool>> {
        words::known(self, words, among).await
    }
    async fn known_and_found(&mut self, words: &[String], query: &LexicalQuery, limit: usize) -> Result<KnownAndFound> {
        search::known_and_found(self, words, query, limit).await
    }
    async fn vocabulary(
        &mut self,
        first_letters: &[char],
        min_len: usize,
        max_len: usize,
    ) -> Result<Vec<(String, u64)>> {
        words::vocabulary(self, first_letters, (min_len, max_len)).await
    }
    async fn speakers(&mut self) -> Result<Vec<(i64, String)>> {
        known::speakers(self).await
    }
    async fn data_version(&mut self) -> Result<u64> {
        let commits = known::commits(self).await?;
        Ok(if commits == 0 { 0 } else { commits | self.file })
    }
    async fn change_range(&mut self) -> Result<ChangeRange> {
        changes::range(self.conn).await
    }
    async fn changes(&mut self, query: &ChangeQuery) -> Result<Vec<SeenChange>> {
        changes::changes(self.conn, query).await
    }
    async fn export(
        &mut self,
        filter: &MemoryFilter,
        after: Option<Seq>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Vec<MemoryRecord>> {
        export::export(self.conn, filter, after, (limit, max_bytes)).await
    }
    async fn records(&mut self, ids: &[MemoryId]) -> Result<Vec<MemoryRecord>> {
        export::records(self.conn, ids).await
    }
    async fn import_progress(&mut self, import_id: &str) -> Result<Option<ImportProgress>> {
        changes::import_progress(self.conn, import_id).await
    }
    async fn rows(&mut self, query: &RowQuery) -> Result<Vec<Row>> {
        if known::is_empty(self, query.table) { Ok(Vec::new()) } else { declared::rows(self.conn, query).await }
    }
    async fn count_rows(&mut self, query: &RowQuery, sum: Option<&'static str>) -> Result<RowCount> {
        if known::is_empty(self, query.table) {
            return Ok(RowCount::default());
        }
        declared::count(self.conn, query, sum).await
    }
    async fn goal(&mut self, id: GoalId) -> Result<Option<Goal>> {
        goals::goal(self.conn, id).await
    }
    async fn goals(
        &mut self,
        status: Option<GoalStatus>,
        after: Option<(Timestamp, GoalId)>,
        limit: usize,
    ) -> Result<Vec<Goal>> {
        goals::goals(self.conn, status, after, limit).await
    }
    async fn count_goals(&mut self) -> Result<(usize, usize)> {
        goals::count(self.conn).await
    }
    async fn consents(&mut self, query: &ConsentQuery) -> Result<Vec<ConsentRecord>> {
        consents::consents(self.conn, query).await
    }
    async fn count_consents(&mut self, at: Timestamp) -> Result<ConsentCount> {
        consents::count(self.conn, at).await
    }
    async fn attachments(&mut self, query: &AttachmentQuery) -> Result<Vec<Attachment>> {
        attachments::attachments(self.conn, query).await
    }
    async fn every_attachment(&mut self, query: &AttachmentQuery) -> Result<Vec<Attachment>> {
        attachments::every(self.conn, query).await
    }
    async fn attachment_usage(&mut self) -> Result<AttachmentUsage> {
        attachments::usage(self.conn).await
    }
    async fn pending_blobs(&mut self, limit: usize) -> Result<PendingBlobs> {
        attachments::pending(self.conn, limit).await
    }
    async fn blobs(&mut self, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, bool)>> {
        attachments::blobs(self.conn, after, limit).await
    }
    async fn meditation(&mut self, id: MeditationId) -> Result<Option<Meditation>> {
        meditations::meditation(self.conn, id).await
    }
    async fn meditations(&mut self, after: Option<MeditationId>, limit: usize) -> Result<Vec<Meditation>> {
        meditations::meditations(self.conn, after, limit).await
    }
    async fn waiting_meditation(&mut self) -> Result<Option<Meditation>> {
        meditations::waiting(self.conn).await
    }
    async fn last_meditation(&mut self) -> Result<Option<Timestamp>> {
        meditations::last(self.conn).await
    }
    async fn decisions(&mut self, id: MeditationId, after: u64, limit: usize) -> Result<Vec<RecordedDecision>> {
        decisions::of_run(self.conn, id, after, limit).await
    }
    async fn scoring_items(&mut self, full: bool, after: Option<Seq>, limit: usize) -> Result<Vec<ScoringItem>> {
        scoring::items(self.conn, full, after, limit).await
    }
    async fn tag_outcomes(&mut self) -> Result<Vec<TagOutcomes>> {
        scoring::tag_outcomes(self.conn).await
    }
    async fn retention_items(&mut self) -> Result<Vec<RetentionItem>> {
        retention::items(self.conn).await
    }
    async fn movable_bytes(&mut self) -> Result<[u64; 3]> {
        retention::movable_bytes(self.conn).await
    }
    async fn lasting_bytes(&mut self) -> Result<[u64; 3]> {
        retention::lasting_bytes(self.conn).await
    }

    async fn session_number(&mut self, session_id: &str) -> Result<Option<i64>> {
        retention::session_number(self.conn, session_id).await
    }
    async fn pruned_on(&mut self, day: i64) -> Result<u64> {
        retention::pruned_on(self.conn, day).await
    }
    async fn embedding_ledger(&mut self, day: i64) -> Result<EmbeddingLedger> {
        embedding::ledger(self.conn, day).await
    }
    async fn embedding_subjects(&mut self) -> Result<Vec<EligibleSubject>> {
        embedding::subjects(self.conn).await
    }
    async fn outbox(&mut self, limit: usize) -> Result<Vec<OutboxRow>> {
        outbox::outbox(self.conn, limit).await
    }
}

#[async_trait]
impl<M: Send + Sync> AuditReader for Access<'_, M> {
    async fn audit_range(&mut self) -> Result<AuditRange> {
        In::new(self.conn, &Log::VAULT).range().await
    }
    async fn audit_entries(&mut self, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
        entries(&mut In::new(self.conn, &Log::VAULT), query).await
    }
}

/// Converts a limit for SQLite; statements must use it as `LIMIT +?`. A bare parameter as the limit makes SQLite parse
/// and plan the statement again on every bind, which takes longer than most queries.
pub(crate) fn limit(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
