//! Changes a vault: one file per concern, and the port's methods, which delegate to them.
//!
//! Audit entries and stored answers are postponed in the connection's notes and sent with the commit. New memories are
//! added to the full-text index once per commit. Triggers maintain the counters and the rest of the index.

mod attachments;
mod changes;
mod consents;
mod decide;
mod embedding;
mod erase;
mod goals;
mod imports;
mod insert;
mod meditations;
mod names;
mod outbox;
mod outcomes;
mod places;
mod put_off;
mod rebuild;
mod requests;
mod scores;
mod settings;
mod state;
mod touch;
mod traits;
mod update;

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
use kimberly_core::meditation::{Change, Meditation, Scored};
use kimberly_core::memory::{Memory, MemoryRecord, MemoryState};
use kimberly_core::ports::{
    AuditEntry, Doomed, ImportProgress, Job, NewMemory, RequestRecord, Touch, VaultReader, VaultTransaction,
};
use kimberly_core::scoring::ScoreRecord;
use kimberly_core::settings::UserSettings;
use kimberly_core::tables::{Row, RowQuery, Table};
use uuid::Uuid;

use super::audit::{self, In, Log};
use super::reader::{Access, Writing};
use crate::audit::prune;
use crate::declared;

pub(crate) use put_off::push_put_off;

/// Returns `row` repeated `times` times, separated by commas.
fn repeated(row: &str, times: usize) -> String {
    let mut sql = String::with_capacity((row.len() + 1) * times);
    for n in 0..times {
        if n > 0 {
            sql.push(',');
        }
        sql.push_str(row);
    }
    sql
}

#[async_trait]
impl VaultTransaction for Access<'_, Writing> {
    fn as_reader(&mut self) -> &mut dyn VaultReader {
        self
    }
    async fn insert_memories(&mut self, memories: &[NewMemory]) -> Result<Vec<Seq>> {
        self.refuse_adding()?;
        insert::insert(self.conn, memories).await
    }
    async fn insert_records(&mut self, records: &[MemoryRecord], at: Timestamp) -> Result<Vec<Seq>> {
        self.refuse_adding()?;
        insert::insert_records(self.conn, records, at).await
    }
    async fn update_memory(&mut self, memory: &Memory, score: Option<&ScoreRecord>) -> Result<()> {
        self.refuse_adding()?;
        update::update(self.conn, memory, score).await
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
    async fn archive_memories(&mut self, changes: &[&Change], at: Timestamp, delete_after: Timestamp) -> Result<()> {
        decide::archive(self.conn, changes, at, delete_after).await
    }
    async fn prune_memories(&mut self, changes: &[&Change], at: Timestamp) -> Result<()> {
        decide::prune(self.conn, changes, at).await
    }
    async fn record_decisions(&mut self, run: MeditationId, decisions: &[Change], at: Timestamp) -> Result<()> {
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
    async fn put_rows(&mut self, table: &'static Table, rows: &[Row]) -> Result<()> {
        self.refuse_adding()?;
        declared::put(self.conn, table, rows).await
    }
    async fn delete_rows(&mut self, query: &RowQuery) -> Result<u64> {
        declared::delete(self.conn, query).await
    }
    async fn put_settings(&mut self, settings: &UserSettings) -> Result<u64> {
        settings::put(self.conn, settings).await
    }
    async fn put_goal(&mut self, goal: &Goal) -> Result<()> {
        self.refuse_adding()?;
        goals::put(self.conn, goal).await
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
    async fn release_withheld(&mut self, from: ConsentId, into: &ConsentRecord, at: Timestamp) -> Result<u64> {
        consents::release(self.conn, from, into, at).await
    }
    async fn doomed(&mut self, limit: usize) -> Result<Doomed> {
        consents::doomed(self.conn, limit).await
    }
    async fn erase_memories(&mut self, seqs: &[Seq], at: Timestamp) -> Result<()> {
        erase::now(self.conn, seqs.iter().map(|seq| seq.0), at).await
    }
    async fn renew_traits(&mut self, limit: usize) -> Result<u64> {
        traits::renew(self.conn, limit).await
    }
    async fn stage_blob(&mut self, id: BlobId, most: u64, sealed: bool, at: Timestamp) -> Result<()> {
        self.refuse_adding()?;
        attachments::stage(self.conn, id, most, sealed, at).await
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
    async fn prune_meditations(&mut self, before: Timestamp, keep: usize) -> Result<u64> {
        meditations::prune(self.conn, before, keep).await
    }
    async fn put_request(&mut self, record: &RequestRecord) -> Result<()> {
        self.conn.notes.put_off.requests.push(record.clone());
        Ok(())
    }
    async fn prune_requests(&mut self, before: Timestamp, limit: usize) -> Result<u64> {
        requests::prune(self.conn, before, limit).await
    }
    async fn put_import_progress(&mut self, import_id: &str, progress: ImportProgress, at: Timestamp) -> Result<()> {
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
    async fn audit(&mut self, entry: &AuditEntry) -> Result<()> {
        let mut entry = entry.clone();
        if entry.actor == Actor::Caller {
            entry.actor = self.acting.clone();
        }
        self.conn.notes.put_off.audits.push(entry);
        Ok(())
    }
    async fn prune_audit(&mut self, before: Timestamp, limit: usize) -> Result<Option<(AuditHead, u64)>> {
        prune(&mut In::new(self.conn, &Log::VAULT), before, limit).await
    }
    async fn compact_audit(&mut self) -> Result<usize> {
        audit::compact_vault(self.conn).await
    }
    async fn enqueue(&mut self, job_id: Uuid, job: &Job, at: Timestamp, traceparent: Option<&str>) -> Result<()> {
        outbox::enqueue(self.conn, job_id, job, at, traceparent).await
    }
    async fn await_embedding(&mut self, asked_at: Option<Timestamp>) -> Result<bool> {
        embedding::wait(self.conn, asked_at).await
    }
    async fn renew_embedding(&mut self, anew: bool) -> Result<()> {
        embedding::renew(self.conn, anew).await
    }
    async fn begin_embedding(&mut self) -> Result<()> {
        embedding::begin(self.conn).await
    }
    async fn add_embedded(&mut self, day: i64, vectors: u64) -> Result<()> {
        self.refuse_adding()?;
        embedding::add(self.conn, day, vectors).await
    }
    async fn put_embedding_report(&mut self, report: &EmbeddingReport, answered: Option<Timestamp>) -> Result<()> {
        embedding::report(self.conn, report, answered).await
    }
    async fn remove_outbox(&mut self, positions: &[i64]) -> Result<()> {
        outbox::remove(self.conn, positions).await
    }
    async fn rebuild_derived(&mut self) -> Result<()> {
        rebuild::rebuild(self.conn).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_repeat() {
        assert_eq!(repeated("(?)", 3), "(?),(?),(?)");
    }
}
