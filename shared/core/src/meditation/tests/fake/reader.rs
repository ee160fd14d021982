//! The vault's reader.

use async_trait::async_trait;

use super::{Vault, pause};
use crate::attachments::{Attachment, AttachmentUsage, PendingBlobs};
use crate::audit::AuditRecord;
use crate::consent::ConsentRecord;
use crate::embedding::{EligibleSubject, EmbeddingLedger};
use crate::entities::{EntityRelation, NameId, Tie};
use crate::error::Result;
use crate::goals::{Goal, GoalStatus};
use crate::ids::{BlobId, GoalId, MeditationId, MemoryId, Seq};
use crate::meditation::{Meditation, RecordedDecision, RetentionItem, ScoringItem, TagOutcomes};
use crate::memory::{ChangeRange, ListOrder, Memory, MemoryFilter, MemoryRecord};
use crate::ports::{
    AttachmentQuery, AuditQuery, AuditRange, AuditReader, ChangeQuery, ConsentCount, ConsentQuery, ImportProgress,
    LexicalHit, LexicalQuery, ListKey, Named, NamesQuery, Neighbour, OutboxRow, PriorRequest, RowFacts, SeenChange,
    SessionSpot, VaultReader, VaultSizes, WriteContext,
};
use crate::scoring::ScoreRecord;
use crate::settings::StoredSettings;
use crate::tables::{Row, RowCount, RowQuery, TableRow as _};
use crate::time::Timestamp;
use crate::usage::Usage;

/// The relations that a well-connected record states: one of each kind.
fn tied(memory: &Memory) -> impl Iterator<Item = Row> {
    let (memory, at) = (memory.id, memory.created_at);
    let name = NameId(uuid::Uuid::nil());
    let tie = move |relation: &EntityRelation| Tie {
        from: name,
        relation: *relation,
        to: name,
        memory,
        span: 0..1,
        confidence: 1.0,
        at,
    };
    EntityRelation::ALL.iter().map(tie).map(|tie| tie.to_row())
}

const UNUSED: &str = "meditation does not ask for this";

#[async_trait]
impl VaultReader for Vault {
    async fn write_context(&mut self, request_id: Option<&str>) -> Result<WriteContext> {
        pause().await;
        let prior = self.requests.iter().find(|record| Some(record.request_id.as_str()) == request_id);
        Ok(WriteContext {
            settings: self.settings.clone(),
            usage: Vault::usage(self),
            goals: self.goals.clone(),
            prior: prior.map(|r| PriorRequest { fingerprint: r.fingerprint, answer: r.answer.clone() }),
            waiting_meditation: self.waiting().map(|run| run.id),
        })
    }

    async fn usage(&mut self) -> Result<Usage> {
        pause().await;
        Ok(Vault::usage(self))
    }

    async fn memories(&mut self, seqs: &[Seq]) -> Result<Vec<Memory>> {
        pause().await;
        Ok(seqs.iter().filter_map(|seq| self.rows.get(seq)).map(|row| row.memory.clone()).collect())
    }

    async fn list(
        &mut self,
        filter: &MemoryFilter,
        order: ListOrder,
        after: Option<ListKey>,
        limit: usize,
        _: usize,
    ) -> Result<Vec<Memory>> {
        pause().await;
        self.note("list");
        if order == ListOrder::NewestFirst {
            // The search for records that say the same is tested by stories.
            return Ok(Vec::new());
        }
        let passes = |memory: &&Memory| {
            (filter.tiers.is_empty() || filter.tiers.contains(&memory.draft.tier))
                && (filter.kinds.is_empty() || filter.kinds.contains(&memory.draft.kind))
                && filter.states.contains(&memory.state)
                && filter.session_id == memory.draft.session_id
                && after.is_none_or(|key| (key.created_at, key.seq) < (memory.created_at, memory.seq))
        };
        let mut found: Vec<_> = self.rows.values().map(|row| &row.memory).filter(passes).cloned().collect();
        found.sort_by_key(|memory| (memory.created_at, memory.seq));
        // Short pages, so that paging is put to the test.
        found.truncate(limit.min(3));
        Ok(found)
    }

    async fn meditation(&mut self, id: MeditationId) -> Result<Option<Meditation>> {
        pause().await;
        Ok(self.runs.get(&id).cloned())
    }

    async fn meditations(&mut self, after: Option<MeditationId>, limit: usize) -> Result<Vec<Meditation>> {
        pause().await;
        let older = self.runs.values().rev().filter(|run| after.is_none_or(|after| run.id < after));
        Ok(older.take(limit).cloned().collect())
    }

    async fn waiting_meditation(&mut self) -> Result<Option<Meditation>> {
        pause().await;
        Ok(self.waiting())
    }

    async fn decisions(&mut self, id: MeditationId, after: u64, limit: usize) -> Result<Vec<RecordedDecision>> {
        pause().await;
        let of_run = self.decisions.iter().filter(|recorded| recorded.meditation_id == id && recorded.position > after);
        Ok(of_run.take(limit).cloned().collect())
    }

    async fn scoring_items(&mut self, full: bool, after: Option<Seq>, limit: usize) -> Result<Vec<ScoringItem>> {
        pause().await;
        Ok(self.scoring(full, after, limit))
    }

    async fn tag_outcomes(&mut self) -> Result<Vec<TagOutcomes>> {
        pause().await;
        Ok(self.outcomes.clone())
    }

    async fn retention_items(&mut self) -> Result<Vec<RetentionItem>> {
        pause().await;
        Ok(self.retention())
    }

    async fn movable_bytes(&mut self) -> Result<[u64; 3]> {
        panic!("{UNUSED}")
    }

    async fn lasting_bytes(&mut self) -> Result<[u64; 3]> {
        panic!("{UNUSED}")
    }

    async fn session_number(&mut self, session_id: &str) -> Result<Option<i64>> {
        pause().await;
        let known = self.rows.values().any(|row| row.memory.draft.session_id.as_deref() == Some(session_id));
        Ok(known.then_some(1))
    }

    async fn pruned_on(&mut self, day: i64) -> Result<u64> {
        pause().await;
        Ok(self.erased.get(&day).copied().unwrap_or(0))
    }

    async fn settings(&mut self) -> Result<StoredSettings> {
        panic!("{UNUSED}")
    }
    /// Unless a test says otherwise: the reading steps have read all records, importance never moved, and every record
    /// is well connected, so hot. The conformance suite and the stories test what those steps do.
    async fn rows(&mut self, query: &RowQuery) -> Result<Vec<Row>> {
        self.note(query.table.name);
        if query.table.name == Tie::TABLE.name {
            return Ok(self.rows.values().flat_map(|row| tied(&row.memory)).collect());
        }
        Ok(Vec::new())
    }
    async fn seqs_without_row(&mut self, query: &RowQuery) -> Result<Vec<Seq>> {
        pause().await;
        self.note(query.table.name);
        Ok(if self.unread { self.rows.keys().copied().collect() } else { Vec::new() })
    }
    async fn count_rows(&mut self, _: &RowQuery, _: Option<&'static str>) -> Result<RowCount> {
        pause().await;
        Ok(RowCount::default())
    }
    async fn recount(&mut self) -> Result<Usage> {
        panic!("{UNUSED}")
    }
    async fn sizes(&mut self) -> Result<VaultSizes> {
        panic!("{UNUSED}")
    }
    async fn row_facts(&mut self, _: &[MemoryId]) -> Result<Vec<Option<RowFacts>>> {
        panic!("{UNUSED}")
    }
    async fn memory(&mut self, _: MemoryId) -> Result<Option<Memory>> {
        panic!("{UNUSED}")
    }
    async fn seqs(&mut self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Seq)>> {
        pause().await;
        let known = self.rows.values().map(|row| (row.memory.id, row.memory.seq));
        Ok(known.filter(|(id, _)| ids.contains(id)).collect())
    }
    async fn id_named(&mut self, _: &str, _: &str) -> Result<Option<MemoryId>> {
        panic!("{UNUSED}")
    }
    async fn names(&mut self, _: &NamesQuery) -> Result<Vec<Named>> {
        panic!("{UNUSED}")
    }
    async fn score_record(&mut self, _: Seq) -> Result<Option<ScoreRecord>> {
        panic!("{UNUSED}")
    }
    async fn decisions_about(&mut self, _: MemoryId, _: usize) -> Result<Vec<RecordedDecision>> {
        panic!("{UNUSED}")
    }
    async fn lexical(&mut self, _: &LexicalQuery, _: usize) -> Result<Vec<LexicalHit>> {
        panic!("{UNUSED}")
    }
    async fn at_spots(&mut self, _: &[SessionSpot], _: &MemoryFilter) -> Result<Vec<Neighbour>> {
        panic!("{UNUSED}")
    }
    async fn at_seqs(&mut self, _: &[Seq], _: &MemoryFilter) -> Result<Vec<LexicalHit>> {
        panic!("{UNUSED}")
    }
    async fn substring(&mut self, _: &str, _: &MemoryFilter, _: usize) -> Result<Vec<LexicalHit>> {
        panic!("{UNUSED}")
    }
    async fn known_words(&mut self, _: &[String], _: Option<&MemoryFilter>) -> Result<Vec<bool>> {
        panic!("{UNUSED}")
    }
    async fn vocabulary(&mut self, _: &[char], _: usize, _: usize) -> Result<Vec<(String, u64)>> {
        panic!("{UNUSED}")
    }
    async fn speakers(&mut self) -> Result<Vec<(i64, String)>> {
        panic!("{UNUSED}")
    }
    async fn data_version(&mut self) -> Result<u64> {
        // Not 0, which would mean that there is no vault.
        Ok(1)
    }
    async fn evidence_version(&mut self) -> Result<u64> {
        panic!("{UNUSED}")
    }
    async fn change_range(&mut self) -> Result<ChangeRange> {
        panic!("{UNUSED}")
    }
    async fn changes(&mut self, _: &ChangeQuery) -> Result<Vec<SeenChange>> {
        panic!("{UNUSED}")
    }
    async fn export(&mut self, _: &MemoryFilter, _: Option<Seq>, _: usize, _: usize) -> Result<Vec<MemoryRecord>> {
        panic!("{UNUSED}")
    }
    async fn records(&mut self, _: &[MemoryId]) -> Result<Vec<MemoryRecord>> {
        panic!("{UNUSED}")
    }
    async fn attachments(&mut self, _: &AttachmentQuery) -> Result<Vec<Attachment>> {
        unreachable!("{UNUSED}")
    }
    async fn every_attachment(&mut self, _: &AttachmentQuery) -> Result<Vec<Attachment>> {
        unreachable!("{UNUSED}")
    }
    async fn attachment_usage(&mut self) -> Result<AttachmentUsage> {
        unreachable!("{UNUSED}")
    }
    async fn pending_blobs(&mut self, _: usize) -> Result<PendingBlobs> {
        unreachable!("{UNUSED}")
    }
    async fn blobs(&mut self, _: Option<BlobId>, _: usize) -> Result<Vec<(BlobId, bool)>> {
        unreachable!("{UNUSED}")
    }
    async fn import_progress(&mut self, _: &str) -> Result<Option<ImportProgress>> {
        panic!("{UNUSED}")
    }
    async fn goal(&mut self, _: GoalId) -> Result<Option<Goal>> {
        panic!("{UNUSED}")
    }
    async fn goals(&mut self, _: Option<GoalStatus>, _: Option<(Timestamp, GoalId)>, _: usize) -> Result<Vec<Goal>> {
        panic!("{UNUSED}")
    }
    async fn count_goals(&mut self) -> Result<(usize, usize)> {
        panic!("{UNUSED}")
    }
    async fn last_meditation(&mut self) -> Result<Option<Timestamp>> {
        panic!("{UNUSED}")
    }
    async fn embedding_ledger(&mut self, _: i64) -> Result<EmbeddingLedger> {
        panic!("{UNUSED}")
    }
    async fn consents(&mut self, _: &ConsentQuery) -> Result<Vec<ConsentRecord>> {
        panic!("{UNUSED}")
    }
    async fn count_consents(&mut self, _: Timestamp) -> Result<ConsentCount> {
        panic!("{UNUSED}")
    }
    async fn embedding_subjects(&mut self) -> Result<Vec<EligibleSubject>> {
        panic!("{UNUSED}")
    }
    async fn outbox(&mut self, _: usize) -> Result<Vec<OutboxRow>> {
        panic!("{UNUSED}")
    }
}

#[async_trait]
impl AuditReader for Vault {
    async fn audit_range(&mut self) -> Result<AuditRange> {
        panic!("{UNUSED}")
    }
    async fn audit_entries(&mut self, _: &AuditQuery) -> Result<Vec<AuditRecord>> {
        panic!("{UNUSED}")
    }
}
