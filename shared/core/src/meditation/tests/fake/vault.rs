//! The vault's state.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::audit::AuditEntry;
use crate::goals::Goal;
use crate::ids::{MeditationId, Seq};
use crate::meditation::{
    Meditation, RecordedDecision, RetentionItem, ScoringItem, TagOutcomes, Trigger, tests::NOON, tests::memory_id,
};
use crate::memory::{Feedback, Memory, MemoryDraft, MemoryState, Tier};
use crate::ports::{Job, RequestRecord};
use crate::scoring::ScoreRecord;
use crate::settings::StoredSettings;
use crate::time::Span;
use crate::usage::Usage;

/// A memory with the other facts that the vault stores about it.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::meditation::tests) struct Row {
    pub(in crate::meditation::tests) memory: Memory,
    pub(in crate::meditation::tests) marked: bool,
    pub(in crate::meditation::tests) record: Option<ScoreRecord>,
}

impl Row {
    /// An active long-term memory of 100 bytes that was never scored; its sequence number is its age in hours.
    pub(in crate::meditation::tests) fn new(seq: i64, content: &str) -> Self {
        let at = NOON.minus(Span::hours(seq));
        let draft = MemoryDraft { content: content.to_owned(), tier: Tier::LongTerm, ..MemoryDraft::default() };
        let memory = Memory { size_bytes: 100, ..Memory::new(memory_id(seq), Seq(seq), draft, at) };
        Self { memory, marked: true, record: None }
    }

    /// The same in the archive, with its grace ended an hour before noon.
    pub(in crate::meditation::tests) fn archived(seq: i64, content: &str) -> Self {
        let mut row = Self::new(seq, content);
        row.memory.state = MemoryState::Archived;
        row.memory.archived_at = Some(row.memory.created_at);
        row.memory.delete_after = Some(NOON.minus(Span::hours(1)));
        row
    }
}

/// One vault.
#[derive(Clone, Debug, Default)]
pub(in crate::meditation::tests) struct Vault {
    pub(in crate::meditation::tests) rows: BTreeMap<Seq, Row>,
    pub(in crate::meditation::tests) runs: BTreeMap<MeditationId, Meditation>,
    pub(in crate::meditation::tests) decisions: Vec<RecordedDecision>,
    pub(in crate::meditation::tests) erased: BTreeMap<i64, u64>,
    pub(in crate::meditation::tests) requests: Vec<RequestRecord>,
    pub(in crate::meditation::tests) outbox: Vec<Job>,
    pub(in crate::meditation::tests) embedding_waits: bool,
    pub(in crate::meditation::tests) audit: Vec<AuditEntry>,
    pub(in crate::meditation::tests) settings: StoredSettings,
    pub(in crate::meditation::tests) goals: Vec<Goal>,
    pub(in crate::meditation::tests) outcomes: Vec<TagOutcomes>,
    /// Whether no step has read any record.
    pub(in crate::meditation::tests) unread: bool,
    /// The tables that were read, in order, and "list" for each page of records.
    pub(in crate::meditation::tests) asked: Arc<Mutex<Vec<&'static str>>>,
}

impl Vault {
    pub(in crate::meditation::tests) fn of(rows: impl IntoIterator<Item = Row>) -> Self {
        let rows = rows.into_iter().map(|row| (row.memory.seq, row)).collect();
        Self { rows, ..Self::default() }
    }

    pub(super) fn note(&self, table: &'static str) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(table);
    }

    pub(super) fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for memory in self.rows.values().map(|row| &row.memory) {
            let count = usage.count_mut(memory.draft.tier, memory.state);
            count.items += 1;
            count.bytes += memory.size_bytes;
        }
        usage
    }

    pub(super) fn retention(&self) -> Vec<RetentionItem> {
        let item = |memory: &Memory| RetentionItem {
            session: memory.draft.session_id.as_ref().map(|_| 1),
            ..RetentionItem::of(memory)
        };
        self.rows.values().map(|row| item(&row.memory)).collect()
    }

    pub(super) fn scoring(&self, full: bool, after: Option<Seq>, limit: usize) -> Vec<ScoringItem> {
        let due = self.rows.values().filter(|row| row.memory.state != MemoryState::Deleted && (full || row.marked));
        let item = |memory: &Memory| ScoringItem {
            seq: memory.seq,
            content: memory.draft.content.clone(),
            tags: memory.draft.metadata.tags.clone(),
            sentiment: memory.sentiment,
            feedback: memory.draft.metadata.user_feedback.map(Feedback::valence),
            helpful: 0,
            unhelpful: 0,
            created_at: memory.created_at,
            last_seen_at: memory.last_seen_at,
            access_count: memory.access_count,
        };
        // Pages are often shorter than asked, as the port allows.
        due.filter(|row| Some(row.memory.seq) > after).take(limit.min(7)).map(|row| item(&row.memory)).collect()
    }

    pub(super) fn waiting(&self) -> Option<Meditation> {
        use crate::meditation::MeditationStatus::Scheduled;
        let counts = |run: &&Meditation| {
            run.status == Scheduled
                && run.asked.is_everything()
                && matches!(run.trigger, Trigger::Schedule | Trigger::Quota | Trigger::Request)
        };
        self.runs.values().find(counts).cloned()
    }
}
