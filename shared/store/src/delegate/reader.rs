//! Implements [`VaultReader`](kimberly_core::ports::VaultReader) for a backend's `Access`.

/// Implements the port by calling, for each method, the function of the same concern in the backend's own modules. A
/// backend passes the methods that it answers in another way; the names of the port's types are in scope there.
macro_rules! vault_reader {
    ($($own:tt)*) => {
        const _: () = {
            use kimberly_core::attachments::{Attachment, AttachmentUsage, PendingBlobs};
            use kimberly_core::consent::ConsentRecord;
            use kimberly_core::embedding::{EligibleSubject, EmbeddingLedger};
            use kimberly_core::error::Result;
            use kimberly_core::goals::{Goal, GoalStatus};
            use kimberly_core::ids::{BlobId, GoalId, MeditationId, MemoryId, Seq};
            use kimberly_core::meditation::{Meditation, RecordedDecision, RetentionItem, ScoringItem, TagOutcomes};
            use kimberly_core::memory::{ChangeRange, ListOrder, Memory, MemoryFilter, MemoryRecord};
            use kimberly_core::ports::{
                AttachmentQuery, ChangeQuery, ConsentCount, ConsentQuery, ImportProgress,
                LexicalHit, LexicalQuery, ListKey, Named, NamesQuery, Neighbour,
                OutboxRow, RowFacts, SeenChange,
                SessionSpot, VaultReader, VaultSizes, WriteContext,
            };
            use kimberly_core::scoring::ScoreRecord;
            use kimberly_core::settings::StoredSettings;
            use kimberly_core::tables::{Row, RowCount, RowQuery};
            use kimberly_core::time::Timestamp;
            use kimberly_core::usage::Usage;

            #[async_trait::async_trait]
            impl<M: Send + Sync> VaultReader for Access<'_, M> {
                $($own)*

                async fn write_context(&mut self, request_id: Option<&str>) -> Result<WriteContext> {
                    context::write_context(self.conn, request_id).await
                }
                async fn settings(&mut self) -> Result<StoredSettings> {
                    context::settings(self.conn).await
                }
                async fn recount(&mut self) -> Result<Usage> {
                    derived::recount(self.conn).await
                }
                async fn row_facts(&mut self, ids: &[MemoryId]) -> Result<Vec<Option<RowFacts>>> {
                    memories::facts(self.conn, ids).await
                }
                async fn seqs_without_row(&mut self, query: &RowQuery) -> Result<Vec<Seq>> {
                    declared::seqs_without_row(self.conn, query).await
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
                    let page = crate::page::Listing { order, after, limit, max_bytes };
                    list::list(self.conn, filter, page).await
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
                async fn substring(
                    &mut self,
                    text: &str,
                    filter: &MemoryFilter,
                    limit: usize,
                ) -> Result<Vec<LexicalHit>> {
                    substring::substring(self, text, filter, limit).await
                }
                async fn known_words(&mut self, words: &[String], among: Option<&MemoryFilter>) -> Result<Vec<bool>> {
                    words::known(self, words, among).await
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
                async fn decisions(
                    &mut self,
                    id: MeditationId,
                    after: u64,
                    limit: usize,
                ) -> Result<Vec<RecordedDecision>> {
                    decisions::of_run(self.conn, id, after, limit).await
                }
                async fn scoring_items(
                    &mut self,
                    full: bool,
                    after: Option<Seq>,
                    limit: usize,
                ) -> Result<Vec<ScoringItem>> {
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
        };
    };
}

pub(crate) use vault_reader;
