//! Changing a vault: one file per concern, and the port's methods, which only name them.
//!
//! Counters are changed in memory (`head`) and written, with the audit, at the end of the transaction.

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::Timestamp;
use kimberly_core::attachments::{BlobFacts, NewAttachment};
use kimberly_core::audit::Actor;
use kimberly_core::audit::AuditHead;
use kimberly_core::consent::ConsentRecord;
use kimberly_core::embedding::EmbeddingReport;
use kimberly_core::error::Result;
use kimberly_core::goals::Goal;
use kimberly_core::ids::{AttachmentId, BlobId, ConsentId, GoalId, MeditationId, Seq};
use kimberly_core::meditation::{Decision, Meditation, Scored};
use kimberly_core::memory::{Memory, MemoryRecord, MemoryState};
use kimberly_core::ports::{
    AuditEntry, ErasedBatch, ImportProgress, Job, NewMemory, RequestRecord, SealedBatch, Touch, VaultReader,
    VaultTransaction,
};
use kimberly_core::scoring::ScoreRecord;
use kimberly_core::settings::UserSettings;
use uuid::Uuid;

use super::audit::{self, In, Log};
use super::reader::{Access, Writing};
use super::unported;
use crate::audit::prune;

#[async_trait]
impl VaultTransaction for Access<'_, Writing> {
    fn as_reader(&mut self) -> &mut dyn VaultReader {
        self
    }
    async fn insert_memories(&mut self, memories: &[NewMemory]) -> Result<Vec<Seq>> {
        Err(unported("insert_memories"))
    }
    async fn insert_records(&mut self, records: &[MemoryRecord], at: Timestamp) -> Result<Vec<Seq>> {
        Err(unported("insert_records"))
    }
    async fn update_memory(&mut self, memory: &Memory, score: Option<&ScoreRecord>) -> Result<()> {
        Err(unported("update_memory"))
    }
    async fn touch(&mut self, touches: &[Touch]) -> Result<()> {
        Err(unported("touch"))
    }
    async fn add_outcomes(&mut self, seqs: &[Seq], helpful: u64, unhelpful: u64) -> Result<()> {
        Err(unported("add_outcomes"))
    }
    async fn apply_scores(&mut self, scores: &[Scored]) -> Result<()> {
        Err(unported("apply_scores"))
    }
    async fn apply_decisions(
        &mut self,
        run: MeditationId,
        decisions: &[Decision],
        at: Timestamp,
        delete_after: Timestamp,
    ) -> Result<Vec<Decision>> {
        Err(unported("apply_decisions"))
    }
    async fn set_state(
        &mut self,
        seq: Seq,
        state: MemoryState,
        archived_at: Option<Timestamp>,
        delete_after: Option<Timestamp>,
        updated_at: Timestamp,
    ) -> Result<()> {
        Err(unported("set_state"))
    }
    async fn put_settings(&mut self, settings: &UserSettings) -> Result<u64> {
        Err(unported("put_settings"))
    }
    async fn put_goal(&mut self, goal: &Goal) -> Result<()> {
        Err(unported("put_goal"))
    }
    async fn delete_goal(&mut self, id: GoalId) -> Result<bool> {
        Err(unported("delete_goal"))
    }
    async fn put_consent(&mut self, record: &ConsentRecord) -> Result<()> {
        Err(unported("put_consent"))
    }
    async fn withhold(&mut self, id: ConsentId, erase: bool, at: Timestamp) -> Result<u64> {
        Err(unported("withhold"))
    }
    async fn release_withheld(&mut self, from: ConsentId, into: &ConsentRecord, at: Timestamp) -> Result<u64> {
        Err(unported("release_withheld"))
    }
    async fn erase_withheld(&mut self, limit: usize, at: Timestamp) -> Result<ErasedBatch> {
        Err(unported("erase_withheld"))
    }
    async fn erase_memories(&mut self, seqs: &[Seq], at: Timestamp) -> Result<()> {
        Err(unported("erase_memories"))
    }
    async fn seal_sensitive(&mut self, limit: usize) -> Result<SealedBatch> {
        Err(unported("seal_sensitive"))
    }
    async fn stage_blob(&mut self, id: BlobId, most: u64, sealed: bool, at: Timestamp) -> Result<()> {
        Err(unported("stage_blob"))
    }
    async fn move_attachment(&mut self, id: AttachmentId, to: BlobId) -> Result<bool> {
        Err(unported("move_attachment"))
    }
    async fn store_blob(&mut self, id: BlobId, facts: &BlobFacts) -> Result<Option<BlobId>> {
        Err(unported("store_blob"))
    }
    async fn condemn_blob(&mut self, id: BlobId, at: Timestamp) -> Result<()> {
        Err(unported("condemn_blob"))
    }
    async fn forget_blobs(&mut self, ids: &[BlobId]) -> Result<()> {
        Err(unported("forget_blobs"))
    }
    async fn insert_attachment(&mut self, attachment: &NewAttachment) -> Result<()> {
        Err(unported("insert_attachment"))
    }
    async fn attach(&mut self, memory: Seq, id: AttachmentId) -> Result<()> {
        Err(unported("attach"))
    }
    async fn detach(&mut self, memory: Seq, id: AttachmentId, at: Timestamp) -> Result<bool> {
        Err(unported("detach"))
    }
    async fn expire_attachments(&mut self, unreferenced: Timestamp, staged: Timestamp) -> Result<u64> {
        Err(unported("expire_attachments"))
    }
    async fn put_meditation(&mut self, meditation: &Meditation) -> Result<()> {
        Err(unported("put_meditation"))
    }
    async fn prune_meditations(&mut self, before: Timestamp, keep: usize) -> Result<u64> {
        Err(unported("prune_meditations"))
    }
    async fn put_request(&mut self, record: &RequestRecord) -> Result<()> {
        Err(unported("put_request"))
    }
    async fn prune_requests(&mut self, before: Timestamp, limit: usize) -> Result<u64> {
        Err(unported("prune_requests"))
    }
    async fn put_import_progress(&mut self, import_id: &str, progress: ImportProgress, at: Timestamp) -> Result<()> {
        Err(unported("put_import_progress"))
    }
    async fn prune_imports(&mut self, before: Timestamp) -> Result<u64> {
        Err(unported("prune_imports"))
    }
    async fn prune_changes(&mut self, before: Timestamp, limit: usize) -> Result<u64> {
        Err(unported("prune_changes"))
    }
    fn act_as(&mut self, name: &Arc<str>) {
        self.acting = Actor::Named(Arc::clone(name));
    }
    async fn audit(&mut self, entry: &AuditEntry) -> Result<()> {
        let mut entry = entry.clone();
        if entry.actor == Actor::Caller {
            entry.actor = self.acting.clone();
        }
        self.conn.notes.audits.push(entry);
        Ok(())
    }
    async fn prune_audit(&mut self, before: Timestamp, limit: usize) -> Result<Option<(AuditHead, u64)>> {
        prune(&mut In::new(self.conn, Log::Vault), before, limit).await
    }
    async fn compact_audit(&mut self) -> Result<usize> {
        audit::compact_vault(self.conn).await
    }
    async fn enqueue(&mut self, job_id: Uuid, job: &Job, at: Timestamp, traceparent: Option<&str>) -> Result<()> {
        Err(unported("enqueue"))
    }
    async fn await_embedding(&mut self, asked_at: Option<Timestamp>) -> Result<bool> {
        Err(unported("await_embedding"))
    }
    async fn renew_embedding(&mut self, anew: bool) -> Result<()> {
        Err(unported("renew_embedding"))
    }
    async fn begin_embedding(&mut self) -> Result<()> {
        Err(unported("begin_embedding"))
    }
    async fn add_embedded(&mut self, day: i64, vectors: u64) -> Result<()> {
        Err(unported("add_embedded"))
    }
    async fn put_embedding_report(&mut self, report: &EmbeddingReport, answered: Option<Timestamp>) -> Result<()> {
        Err(unported("put_embedding_report"))
    }
    async fn remove_outbox(&mut self, positions: &[i64]) -> Result<()> {
        Err(unported("remove_outbox"))
    }
    async fn rebuild_derived(&mut self) -> Result<()> {
        Err(unported("rebuild_derived"))
    }
}
