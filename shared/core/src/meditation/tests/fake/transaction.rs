//! The vault's transaction.

use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use super::{Vault, pause};
use crate::attachments::{BlobFacts, NewAttachment};
use crate::audit::{AuditEntry, AuditHead};
use crate::consent::ConsentRecord;
use crate::embedding::EmbeddingReport;
use crate::error::Result;
use crate::goals::Goal;
use crate::ids::{AttachmentId, BlobId, ConsentId, GoalId, MeditationId, Seq};
use crate::meditation::{Change, Meditation, RecordedDecision, Scored};
use crate::memory::{Memory, MemoryRecord, MemoryState};
use crate::ports::{Doomed, ImportProgress, Job, NewMemory, RequestRecord, Touch, VaultReader, VaultTransaction};
use crate::scoring::ScoreRecord;
use crate::settings::UserSettings;
use crate::tables::{Row, RowQuery, Table};
use crate::time::Timestamp;
use crate::usage::Usage;

const UNUSED: &str = "meditation does not ask for this";

#[async_trait]
impl VaultTransaction for Vault {
    fn as_reader(&mut self) -> &mut dyn VaultReader {
        self
    }

    async fn apply_scores(&mut self, scores: &[Scored]) -> Result<()> {
        pause().await;
        for scored in scores {
            let row = self.rows.get_mut(&scored.seq).expect("only what was read is scored");
            row.memory.score = scored.record.score;
            row.record = Some(scored.record.clone());
            row.marked = false;
        }
        Ok(())
    }

    async fn archive_memories(&mut self, changes: &[&Change], at: Timestamp, delete_after: Timestamp) -> Result<()> {
        pause().await;
        for change in changes {
            let memory = &mut self.rows.get_mut(&change.seq()).expect("only what is there is archived").memory;
            memory.state = MemoryState::Archived;
            memory.archived_at = Some(at);
            memory.delete_after = Some(delete_after);
            memory.revision += 1;
        }
        Ok(())
    }

    async fn prune_memories(&mut self, changes: &[&Change], at: Timestamp) -> Result<()> {
        pause().await;
        for change in changes {
            *self.erased.entry(at.day()).or_default() += change.pruned_bytes();
            self.rows.remove(&change.seq()).expect("only what is there is erased");
        }
        Ok(())
    }

    async fn record_decisions(&mut self, run: MeditationId, decisions: &[Change], at: Timestamp) -> Result<()> {
        pause().await;
        for decision in decisions {
            let position = self.decisions.iter().filter(|other| other.meditation_id == run).count() as u64 + 1;
            let decision = decision.clone();
            self.decisions.push(RecordedDecision { decision, meditation_id: run, position, decided_at: at });
        }
        Ok(())
    }

    async fn put_meditation(&mut self, meditation: &Meditation) -> Result<()> {
        pause().await;
        self.runs.insert(meditation.id, meditation.clone());
        Ok(())
    }

    async fn prune_meditations(&mut self, before: Timestamp, newest: usize) -> Result<u64> {
        pause().await;
        let latest: Vec<MeditationId> = self.runs.keys().rev().take(newest).copied().collect();
        let count = self.runs.len();
        self.runs.retain(|id, run| latest.contains(id) || run.finished_at.is_none_or(|ended| ended >= before));
        Ok((count - self.runs.len()) as u64)
    }

    async fn put_request(&mut self, record: &RequestRecord) -> Result<()> {
        pause().await;
        self.requests.push(record.clone());
        Ok(())
    }

    async fn prune_requests(&mut self, before: Timestamp, limit: usize) -> Result<u64> {
        pause().await;
        let mut forgotten = 0;
        self.requests.retain(|record| {
            let goes = record.at < before && forgotten < limit;
            forgotten += usize::from(goes);
            !goes
        });
        Ok(forgotten as u64)
    }

    async fn prune_imports(&mut self, _: Timestamp) -> Result<u64> {
        pause().await;
        Ok(0)
    }

    async fn prune_changes(&mut self, _: Timestamp, _: usize) -> Result<u64> {
        pause().await;
        Ok(0)
    }

    async fn compact_audit(&mut self) -> Result<usize> {
        pause().await;
        Ok(0)
    }

    async fn prune_audit(&mut self, before: Timestamp, limit: usize) -> Result<Option<(AuditHead, u64)>> {
        pause().await;
        let may_go = self.audit.len().saturating_sub(1).min(limit);
        let count = self.audit[..may_go].iter().take_while(|entry| entry.at < before).count();
        self.audit.drain(..count);
        let last = AuditHead { no: count as u64, hash: [0; 32] };
        Ok((count > 0).then_some((last, count as u64)))
    }

    fn act_as(&mut self, _: &Arc<str>) {}

    async fn audit(&mut self, entry: &AuditEntry) -> Result<()> {
        pause().await;
        self.audit.push(entry.clone());
        Ok(())
    }

    async fn enqueue(&mut self, _: Uuid, job: &Job, _: Timestamp, _: Option<&str>) -> Result<()> {
        pause().await;
        self.outbox.push(job.clone());
        Ok(())
    }

    async fn await_embedding(&mut self, _: Option<Timestamp>) -> Result<bool> {
        pause().await;
        Ok(!std::mem::replace(&mut self.embedding_waits, true))
    }

    async fn erase_memories(&mut self, _: &[Seq], _: Timestamp) -> Result<()> {
        unreachable!("a run erases by decisions")
    }

    async fn doomed(&mut self, _: usize) -> Result<Doomed> {
        pause().await;
        Ok(Doomed::default())
    }
    async fn renew_traits(&mut self, _: usize) -> Result<u64> {
        pause().await;
        Ok(0)
    }
    async fn put_consent(&mut self, _: &ConsentRecord) -> Result<()> {
        panic!("{UNUSED}")
    }
    /// Stores nothing. A run puts its fingerprints here.
    async fn put_rows(&mut self, table: &'static Table, _: &[Row]) -> Result<()> {
        self.note(table.name);
        Ok(())
    }
    async fn delete_rows(&mut self, _: &RowQuery) -> Result<u64> {
        panic!("{UNUSED}")
    }
    async fn withhold(&mut self, _: ConsentId, _: bool, _: Timestamp) -> Result<u64> {
        panic!("{UNUSED}")
    }
    async fn release_withheld(&mut self, _: ConsentId, _: &ConsentRecord, _: Timestamp) -> Result<u64> {
        panic!("{UNUSED}")
    }
    async fn renew_embedding(&mut self, _: bool) -> Result<()> {
        panic!("{UNUSED}")
    }
    async fn begin_embedding(&mut self) -> Result<()> {
        panic!("{UNUSED}")
    }
    async fn add_embedded(&mut self, _: i64, _: u64) -> Result<()> {
        panic!("{UNUSED}")
    }
    async fn put_embedding_report(&mut self, _: &EmbeddingReport, _: Option<Timestamp>) -> Result<()> {
        panic!("{UNUSED}")
    }
    async fn insert_memories(&mut self, _: &[NewMemory]) -> Result<Vec<Seq>> {
        panic!("{UNUSED}")
    }
    async fn insert_records(&mut self, _: &[MemoryRecord], _: Timestamp) -> Result<Vec<Seq>> {
        panic!("{UNUSED}")
    }
    async fn put_import_progress(&mut self, _: &str, _: ImportProgress, _: Timestamp) -> Result<()> {
        panic!("{UNUSED}")
    }
    async fn update_memory(&mut self, _: &Memory, _: Option<&ScoreRecord>) -> Result<()> {
        panic!("{UNUSED}")
    }
    async fn touch(&mut self, _: &[Touch]) -> Result<()> {
        panic!("{UNUSED}")
    }
    async fn add_outcomes(&mut self, _: &[Seq], _: u64, _: u64) -> Result<()> {
        panic!("{UNUSED}")
    }
    async fn set_state(
        &mut self,
        _: Seq,
        _: MemoryState,
        _: Option<Timestamp>,
        _: Option<Timestamp>,
        _: Timestamp,
    ) -> Result<()> {
        panic!("{UNUSED}")
    }
    async fn put_settings(&mut self, _: &UserSettings) -> Result<u64> {
        panic!("{UNUSED}")
    }
    async fn stage_blob(&mut self, _: BlobId, _: u64, _: bool, _: Timestamp) -> Result<()> {
        unreachable!("{UNUSED}")
    }
    async fn move_attachment(&mut self, _: AttachmentId, _: BlobId) -> Result<bool> {
        unreachable!("{UNUSED}")
    }
    async fn store_blob(&mut self, _: BlobId, _: &BlobFacts) -> Result<Option<BlobId>> {
        unreachable!("{UNUSED}")
    }
    async fn condemn_blob(&mut self, _: BlobId, _: Timestamp) -> Result<()> {
        unreachable!("{UNUSED}")
    }
    async fn forget_blobs(&mut self, _: &[BlobId]) -> Result<()> {
        unreachable!("{UNUSED}")
    }
    async fn insert_attachment(&mut self, _: &NewAttachment) -> Result<()> {
        unreachable!("{UNUSED}")
    }
    async fn attach(&mut self, _: Seq, _: AttachmentId) -> Result<()> {
        unreachable!("{UNUSED}")
    }
    async fn detach(&mut self, _: Seq, _: AttachmentId, _: Timestamp) -> Result<bool> {
        unreachable!("{UNUSED}")
    }
    async fn expire_attachments(&mut self, _: Timestamp, _: Timestamp) -> Result<u64> {
        unreachable!("{UNUSED}")
    }
    async fn put_goal(&mut self, _: &Goal) -> Result<()> {
        panic!("{UNUSED}")
    }
    async fn delete_goal(&mut self, _: GoalId) -> Result<bool> {
        panic!("{UNUSED}")
    }
    async fn remove_outbox(&mut self, _: &[i64]) -> Result<()> {
        panic!("{UNUSED}")
    }
    async fn rebuild_index(&mut self, _: Uuid, _: Option<Seq>) -> Result<Option<Seq>> {
        panic!("{UNUSED}")
    }
    async fn correct_usage(&mut self, _: &Usage, _: &Usage) -> Result<()> {
        panic!("{UNUSED}")
    }
}
