//! Writing within a caller's reach.

use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use super::{Limited, refused};
use crate::attachments::{BlobFacts, NewAttachment};
use crate::audit::{AuditEntry, AuditHead};
use crate::consent::ConsentRecord;
use crate::embedding::EmbeddingReport;
use crate::error::{Error, Result};
use crate::goals::Goal;
use crate::ids::{AttachmentId, BlobId, ConsentId, GoalId, MeditationId, MemoryId, Seq};
use crate::meditation::{Change, Meditation, Scored};
use crate::memory::{Memory, MemoryRecord, MemoryState};
use crate::ports::{
    AttachmentQuery, Doomed, ImportProgress, Job, NewMemory, RequestRecord, Touch, VaultReader, VaultTransaction,
};
use crate::scoring::ScoreRecord;
use crate::settings::UserSettings;
use crate::tables::{Row, RowQuery, Table};
use crate::time::Timestamp;
use crate::usage::Usage;

#[async_trait]
impl<R: VaultTransaction + ?Sized> VaultTransaction for Limited<'_, R> {
    fn as_reader(&mut self) -> &mut dyn VaultReader {
        self
    }

    async fn insert_memories(&mut self, memories: &[NewMemory]) -> Result<Vec<Seq>> {
        if memories.iter().all(|memory| self.rows.admit_draft(&memory.draft)) {
            self.inner.insert_memories(memories).await
        } else {
            Err(Error::Denied)
        }
    }
    /// Refused: imports concern whole users, and whether an id is taken would reveal memories out of reach.
    async fn insert_records(&mut self, _: &[MemoryRecord], _: Timestamp) -> Result<Vec<Seq>> {
        refused()
    }
    async fn update_memory(&mut self, memory: &Memory, score: Option<&ScoreRecord>) -> Result<()> {
        self.must_reach(&[memory.seq]).await?;
        if self.rows.admit(memory) { self.inner.update_memory(memory, score).await } else { Err(Error::Denied) }
    }
    async fn touch(&mut self, touches: &[Touch]) -> Result<()> {
        let seqs: Vec<Seq> = touches.iter().map(|touch| touch.seq).collect();
        let reached = self.reached_numbers(&seqs).await?;
        let touches: Vec<Touch> = touches.iter().filter(|touch| reached.contains(&touch.seq)).copied().collect();
        self.inner.touch(&touches).await
    }
    async fn add_outcomes(&mut self, seqs: &[Seq], helpful: u64, unhelpful: u64) -> Result<()> {
        self.must_reach(seqs).await?;
        self.inner.add_outcomes(seqs, helpful, unhelpful).await
    }
    async fn apply_scores(&mut self, _: &[Scored]) -> Result<()> {
        refused()
    }
    /// Used at the end of a session, which is planned only for reachable memories.
    async fn archive_memories(&mut self, changes: &[&Change], at: Timestamp, delete_after: Timestamp) -> Result<()> {
        self.must_reach(&subjects(changes.iter().copied())).await?;
        self.inner.archive_memories(changes, at, delete_after).await
    }
    async fn prune_memories(&mut self, _: &[&Change], _: Timestamp) -> Result<()> {
        refused()
    }
    async fn record_decisions(&mut self, run: MeditationId, decisions: &[Change], at: Timestamp) -> Result<()> {
        self.must_reach(&subjects(decisions.iter())).await?;
        self.inner.record_decisions(run, decisions, at).await
    }
    async fn erase_memories(&mut self, seqs: &[Seq], at: Timestamp) -> Result<()> {
        self.must_reach(seqs).await?;
        self.inner.erase_memories(seqs, at).await
    }
    async fn set_state(
        &mut self,
        seq: Seq,
        state: MemoryState,
        archived_at: Option<Timestamp>,
        delete_after: Option<Timestamp>,
        updated_at: Timestamp,
    ) -> Result<()> {
        self.must_reach(&[seq]).await?;
        self.inner.set_state(seq, state, archived_at, delete_after, updated_at).await
    }

    async fn put_rows(&mut self, table: &'static Table, rows: &[Row]) -> Result<()> {
        let mut ids: Vec<MemoryId> = rows.iter().flat_map(|row| table.memories_of(row)).map(MemoryId).collect();
        ids.sort_unstable();
        ids.dedup();
        let reached = self.reached(&ids).await?;
        let is_of_memories = table.memories().next().is_some() || super::is_of_digests(table);
        if is_of_memories && reached.len() == ids.len() { self.inner.put_rows(table, rows).await } else { refused() }
    }
    async fn delete_rows(&mut self, query: &RowQuery) -> Result<u64> {
        match self.rows_within(query)? {
            Some(query) => self.inner.delete_rows(&query).await,
            None => Ok(0),
        }
    }

    async fn put_settings(&mut self, _: &UserSettings) -> Result<u64> {
        refused()
    }
    async fn put_goal(&mut self, _: &Goal) -> Result<()> {
        refused()
    }
    async fn delete_goal(&mut self, _: GoalId) -> Result<bool> {
        refused()
    }
    async fn put_consent(&mut self, _: &ConsentRecord) -> Result<()> {
        refused()
    }
    async fn withhold(&mut self, _: ConsentId, _: bool, _: Timestamp) -> Result<u64> {
        refused()
    }
    async fn release_withheld(&mut self, _: ConsentId, _: &ConsentRecord, _: Timestamp) -> Result<u64> {
        refused()
    }
    async fn doomed(&mut self, _: usize) -> Result<Doomed> {
        refused()
    }
    async fn renew_traits(&mut self, _: usize) -> Result<u64> {
        refused()
    }
    async fn stage_blob(&mut self, id: BlobId, most: u64, sealed: bool, at: Timestamp) -> Result<()> {
        self.inner.stage_blob(id, most, sealed, at).await
    }
    async fn store_blob(&mut self, id: BlobId, facts: &BlobFacts) -> Result<Option<BlobId>> {
        self.inner.store_blob(id, facts).await
    }
    async fn condemn_blob(&mut self, id: BlobId, at: Timestamp) -> Result<()> {
        self.inner.condemn_blob(id, at).await
    }
    async fn forget_blobs(&mut self, ids: &[BlobId]) -> Result<()> {
        self.inner.forget_blobs(ids).await
    }
    async fn insert_attachment(&mut self, attachment: &NewAttachment) -> Result<()> {
        self.inner.insert_attachment(attachment).await
    }
    /// Refused: only the system moves attachments, to encrypt them.
    async fn move_attachment(&mut self, _: AttachmentId, _: BlobId) -> Result<bool> {
        refused()
    }
    /// Callers can attach only attachments that they can see.
    async fn attach(&mut self, memory: Seq, id: AttachmentId) -> Result<()> {
        self.must_reach(&[memory]).await?;
        let seen = self.attachments(&AttachmentQuery::Ids(vec![id])).await?;
        if seen.is_empty() { Err(Error::Denied) } else { self.inner.attach(memory, id).await }
    }
    async fn detach(&mut self, memory: Seq, id: AttachmentId, at: Timestamp) -> Result<bool> {
        self.must_reach(&[memory]).await?;
        self.inner.detach(memory, id, at).await
    }
    async fn expire_attachments(&mut self, unreferenced: Timestamp, staged: Timestamp) -> Result<u64> {
        self.inner.expire_attachments(unreferenced, staged).await
    }
    /// A full tier and the end of a session store the record of a run; the caller never sees it.
    async fn put_meditation(&mut self, meditation: &Meditation) -> Result<()> {
        self.inner.put_meditation(meditation).await
    }
    async fn prune_meditations(&mut self, _: Timestamp, _: usize) -> Result<u64> {
        refused()
    }

    async fn put_request(&mut self, record: &RequestRecord) -> Result<()> {
        self.inner.put_request(record).await
    }
    async fn prune_requests(&mut self, _: Timestamp, _: usize) -> Result<u64> {
        refused()
    }
    async fn put_import_progress(&mut self, _: &str, _: ImportProgress, _: Timestamp) -> Result<()> {
        refused()
    }
    async fn prune_imports(&mut self, _: Timestamp) -> Result<u64> {
        refused()
    }
    async fn prune_changes(&mut self, _: Timestamp, _: usize) -> Result<u64> {
        refused()
    }
    fn act_as(&mut self, name: &Arc<str>) {
        self.inner.act_as(name);
    }
    async fn audit(&mut self, entry: &AuditEntry) -> Result<()> {
        self.inner.audit(entry).await
    }
    async fn compact_audit(&mut self) -> Result<usize> {
        refused()
    }
    async fn prune_audit(&mut self, _: Timestamp, _: usize) -> Result<Option<(AuditHead, u64)>> {
        refused()
    }
    /// Writes of limited callers have the same follow-up jobs as those of others.
    async fn enqueue(&mut self, job_id: Uuid, job: &Job, at: Timestamp, traceparent: Option<&str>) -> Result<()> {
        self.inner.enqueue(job_id, job, at, traceparent).await
    }
    async fn await_embedding(&mut self, asked_at: Option<Timestamp>) -> Result<bool> {
        self.inner.await_embedding(asked_at).await
    }
    async fn renew_embedding(&mut self, _: bool) -> Result<()> {
        refused()
    }
    async fn begin_embedding(&mut self) -> Result<()> {
        refused()
    }
    async fn add_embedded(&mut self, _: i64, _: u64) -> Result<()> {
        refused()
    }
    async fn put_embedding_report(&mut self, _: &EmbeddingReport, _: Option<Timestamp>) -> Result<()> {
        refused()
    }
    async fn remove_outbox(&mut self, _: &[i64]) -> Result<()> {
        refused()
    }
    async fn rebuild_index(&mut self, _: Uuid, _: Option<Seq>) -> Result<Option<Seq>> {
        refused()
    }
    async fn correct_usage(&mut self, _: &Usage, _: &Usage) -> Result<()> {
        refused()
    }
}

fn subjects<'a>(changes: impl Iterator<Item = &'a Change>) -> Vec<Seq> {
    changes.flat_map(|change| &change.subjects).map(|subject| subject.seq).collect()
}
