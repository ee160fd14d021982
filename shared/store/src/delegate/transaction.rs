//! Implements [`VaultTransaction`](kimberly_core::ports::VaultTransaction) for a backend's `Access`.

/// Does for changes what [`vault_reader`](super::vault_reader) does for reading.
macro_rules! vault_transaction {
    ($($own:tt)*) => {
        const _: () = {
            use std::sync::Arc;

            use kimberly_core::Timestamp;
            use kimberly_core::attachments::{BlobFacts, NewAttachment};
            use kimberly_core::audit::{Actor, AuditEntry};
            use kimberly_core::audit::AuditHead;
            use kimberly_core::consent::ConsentRecord;
            use kimberly_core::embedding::EmbeddingReport;
            use kimberly_core::error::Result;
            use kimberly_core::goals::Goal;
            use kimberly_core::ids::{AttachmentId, BlobId, ConsentId, GoalId, MeditationId, Seq};
            use kimberly_core::meditation::{Change, Meditation, Scored};
            use kimberly_core::memory::{Memory, MemoryRecord, MemoryState};
            use kimberly_core::ports::{Doomed, ImportProgress, Job, NewMemory, RequestRecord, Touch, VaultReader, VaultTransaction};
            use kimberly_core::scoring::ScoreRecord;
            use kimberly_core::settings::UserSettings;
            use kimberly_core::tables::{Row, RowQuery, Table};
            use kimberly_core::usage::Usage;
            use uuid::Uuid;

            #[async_trait::async_trait]
            impl VaultTransaction for Access<'_, Writing> {
                $($own)*

                fn as_reader(&mut self) -> &mut dyn VaultReader {
                    self
                }
                async fn touch(&mut self, touches: &[Touch]) -> Result<()> {
                    touch::touch(self.conn, touches).await
                }
                async fn add_outcomes(&mut self, seqs: &[Seq], helpful: u64, unhelpful: u64) -> Result<()> {
                    outcomes::add(self.conn, seqs, helpful, unhelpful).await
                }
                async fn apply_scores(&mut self, scores: &[Scored]) -> Result<()> {
                    scores::apply(self.conn, scores).await
                }
                async fn archive_memories(
                    &mut self,
                    changes: &[&Change],
                    at: Timestamp,
                    delete_after: Timestamp,
                ) -> Result<()> {
                    decide::archive(self.conn, changes, at, delete_after).await
                }
                async fn prune_memories(&mut self, changes: &[&Change], at: Timestamp) -> Result<()> {
                    decide::prune(self.conn, changes, at).await
                }
                async fn record_decisions(
                    &mut self,
                    run: MeditationId,
                    decisions: &[Change],
                    at: Timestamp,
                ) -> Result<()> {
                    decide::record(self.conn, run, decisions, at).await
                }
                async fn set_state(
                    &mut self,
                    seq: Seq,
                    state: MemoryState,
                    archived_at: Option<Timestamp>,
                    delete_after: Option<Timestamp>,
                    updated_at: Timestamp,
                ) -> Result<()> {
                    state::set(self.conn, seq, state::Change { state, archived_at, delete_after, updated_at }).await
                }
                async fn delete_rows(&mut self, query: &RowQuery) -> Result<u64> {
                    declared::delete(self.conn, query).await
                }
                async fn put_settings(&mut self, settings: &UserSettings) -> Result<u64> {
                    settings::put(self.conn, settings).await
                }
                async fn delete_goal(&mut self, id: GoalId) -> Result<bool> {
                    goals::delete(self.conn, id).await
                }
                async fn put_consent(&mut self, record: &ConsentRecord) -> Result<()> {
                    consents::put(self.conn, record).await
                }
                async fn withhold(&mut self, id: ConsentId, erase: bool, at: Timestamp) -> Result<u64> {
                    consents::withhold(self.conn, id, erase, at).await
                }
                async fn release_withheld(
                    &mut self,
                    from: ConsentId,
                    into: &ConsentRecord,
                    at: Timestamp,
                ) -> Result<u64> {
                    consents::release(self.conn, from, into, at).await
                }
                async fn doomed(&mut self, limit: usize) -> Result<Doomed> {
                    consents::doomed(self.conn, limit).await
                }
                async fn renew_traits(&mut self, limit: usize) -> Result<u64> {
                    traits::renew(self.conn, limit).await
                }
                async fn move_attachment(&mut self, id: AttachmentId, to: BlobId) -> Result<bool> {
                    attachments::put_over(self.conn, id, to).await
                }
                async fn store_blob(&mut self, id: BlobId, facts: &BlobFacts) -> Result<Option<BlobId>> {
                    attachments::store(self.conn, id, facts).await
                }
                async fn condemn_blob(&mut self, id: BlobId, at: Timestamp) -> Result<()> {
                    attachments::condemn(self.conn, id, at).await
                }
                async fn forget_blobs(&mut self, ids: &[BlobId]) -> Result<()> {
                    attachments::forget(self.conn, ids).await
                }
                async fn insert_attachment(&mut self, attachment: &NewAttachment) -> Result<()> {
                    attachments::insert(self.conn, attachment).await
                }
                async fn attach(&mut self, memory: Seq, id: AttachmentId) -> Result<()> {
                    attachments::attach(self.conn, memory, id).await
                }
                async fn detach(&mut self, memory: Seq, id: AttachmentId, at: Timestamp) -> Result<bool> {
                    attachments::detach(self.conn, memory, id, at).await
                }
                async fn expire_attachments(&mut self, unreferenced: Timestamp, staged: Timestamp) -> Result<u64> {
                    attachments::expire(self.conn, unreferenced, staged).await
                }
                async fn put_meditation(&mut self, meditation: &Meditation) -> Result<()> {
                    meditations::put(self.conn, meditation).await
                }
                async fn prune_meditations(&mut self, before: Timestamp, newest: usize) -> Result<u64> {
                    meditations::prune(self.conn, before, newest).await
                }
                async fn prune_requests(&mut self, before: Timestamp, limit: usize) -> Result<u64> {
                    requests::prune(self.conn, before, limit).await
                }
                async fn put_import_progress(
                    &mut self,
                    import_id: &str,
                    progress: ImportProgress,
                    at: Timestamp,
                ) -> Result<()> {
                    imports::put(self.conn, import_id, progress, at).await
                }
                async fn prune_imports(&mut self, before: Timestamp) -> Result<u64> {
                    imports::prune(self.conn, before).await
                }
                async fn prune_changes(&mut self, before: Timestamp, limit: usize) -> Result<u64> {
                    changes::prune(self.conn, before, limit).await
                }
                fn act_as(&mut self, name: &Arc<str>) {
                    self.acting = Actor::Named(Arc::clone(name));
                }
                async fn compact_audit(&mut self) -> Result<usize> {
                    audit::compact_vault(self.conn).await
                }
                async fn enqueue(
                    &mut self,
                    job_id: Uuid,
                    job: &Job,
                    at: Timestamp,
                    traceparent: Option<&str>,
                ) -> Result<()> {
                    outbox::enqueue(self.conn, job_id, job, at, traceparent).await
                }
                async fn await_embedding(&mut self, asked_at: Option<Timestamp>) -> Result<bool> {
                    embedding::wait(self.conn, asked_at).await
                }
                async fn renew_embedding(&mut self, rebuild: bool) -> Result<()> {
                    embedding::renew(self.conn, rebuild).await
                }
                async fn begin_embedding(&mut self) -> Result<()> {
                    embedding::begin(self.conn).await
                }
                async fn put_embedding_report(
                    &mut self,
                    report: &EmbeddingReport,
                    answered: Option<Timestamp>,
                ) -> Result<()> {
                    embedding::report(self.conn, report, answered).await
                }
                async fn remove_outbox(&mut self, positions: &[i64]) -> Result<()> {
                    outbox::remove(self.conn, positions).await
                }
                async fn rebuild_index(&mut self, run: Uuid, after: Option<Seq>) -> Result<Option<Seq>> {
                    rebuild::rebuild(self.conn, run, after).await
                }
                async fn correct_usage(&mut self, stored: &Usage, counted: &Usage) -> Result<()> {
                    rebuild::correct(self.conn, stored, counted).await
                }
            }
        };
    };
}

pub(crate) use vault_transaction;
