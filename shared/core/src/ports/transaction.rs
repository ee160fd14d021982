//! Changing one vault atomically.

use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use super::{ImportProgress, Job, VaultReader};
use crate::attachments::{BlobFacts, NewAttachment};
use crate::audit::{AuditEntry, AuditHead};
use crate::consent::ConsentRecord;
use crate::embedding::EmbeddingReport;
use crate::error::Result;
use crate::goals::Goal;
use crate::ids::{AttachmentId, BlobId, ConsentId, GoalId, MeditationId, MemoryId, Seq};
use crate::meditation::{Change, Meditation, Scored};
use crate::memory::{Memory, MemoryDraft, MemoryRecord, MemoryState, Past};
use crate::scoring::ScoreRecord;
use crate::settings::UserSettings;
use crate::tables::{Row, RowQuery, Table};
use crate::text::TextTraits;
use crate::time::Timestamp;
use crate::usage::Usage;

/// A memory to insert; the vault assigns its number and its position in the session.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMemory {
    /// Id of the memory.
    pub id: MemoryId,
    /// The caller's draft, normalized.
    pub draft: MemoryDraft,
    /// Bytes that count against quotas.
    pub size_bytes: u64,
    /// Sentiment of the content in [-1, 1].
    pub sentiment: f64,
    /// Traits of its wording.
    pub traits: TextTraits,
    /// Its first score with the explanation.
    pub score: ScoreRecord,
    /// When it is created.
    pub created_at: Timestamp,
    /// The name of the creating credential; empty if there is none.
    pub author: String,
}

impl NewMemory {
    /// Returns the memory to store, and the explanation of its score.
    pub fn into_memory(self, seq: Seq) -> (Memory, ScoreRecord) {
        let mut memory = Memory {
            size_bytes: self.size_bytes,
            score: self.score.score,
            sentiment: self.sentiment,
            traits: self.traits,
            ..Memory::new(self.id, seq, self.draft, self.created_at)
        };
        memory.belief.author = self.author;
        (memory, self.score)
    }

    /// Returns the record to store, without outcomes so far.
    pub fn into_record(self) -> MemoryRecord {
        let (memory, score) = self.into_memory(Seq(0));
        let (was_archived, was_deleted, past) = (false, false, Past::default());
        MemoryRecord { memory, helpful: 0, unhelpful: 0, score: Some(score), was_archived, was_deleted, past }
    }
}

/// An answer stored for replays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRecord {
    /// The request id.
    pub request_id: String,
    /// SHA-256 of the request's body.
    pub fingerprint: [u8; 32],
    /// The answer as JSON, without content.
    pub answer: String,
    /// When it was given.
    pub at: Timestamp,
}

/// An access to a memory by recall or reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The memory.
    pub seq: Seq,
    /// Accesses since the last touch.
    pub times: u64,
    /// Time of the last access.
    pub at: Timestamp,
}

/// Withheld memories that must be erased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doomed {
    /// The oldest of them, with their numbers.
    pub oldest: Vec<(MemoryId, Seq)>,
    /// Number of all of them.
    pub all: u64,
}

/// Changes one vault. The vault itself keeps usage counters and the full-text index consistent with every change. In
/// the same transaction it records every [`Change`](crate::memory::Change) of a memory's content or state, whichever
/// method made it, with the time given to that method; touches, outcomes and scores are not recorded.
#[async_trait]
pub trait VaultTransaction: VaultReader {
    /// Returns this transaction as a reader.
    fn as_reader(&mut self) -> &mut dyn VaultReader;

    /// Inserts memories in order; returns their numbers. Like every method that makes a record active, it fails with
    /// [`NameTaken`](crate::error::Error::NameTaken) if another active record of its namespace has its name.
    async fn insert_memories(&mut self, memories: &[NewMemory]) -> Result<Vec<Seq>>;
    /// Inserts records in order, with everything they contain except their numbers; returns the new numbers. Their
    /// earlier lives count in the vault's lifetime totals. `at` is the time of the import.
    async fn insert_records(&mut self, records: &[MemoryRecord], at: Timestamp) -> Result<Vec<Seq>>;
    /// Overwrites a memory under its number: draft, size, sentiment, score, state, times and revision as given. Marks
    /// it as changed, so that the next meditation scores it.
    async fn update_memory(&mut self, memory: &Memory, score: Option<&ScoreRecord>) -> Result<()>;
    /// Adds to access counts and moves last-seen times forward; ignores unknown numbers. Marks the memories as touched.
    async fn touch(&mut self, touches: &[Touch]) -> Result<()>;
    /// Adds outcomes to memories. Marks them as touched.
    async fn add_outcomes(&mut self, seqs: &[Seq], helpful: u64, unhelpful: u64) -> Result<()>;
    /// Stores scores and clears the marks of these memories. Does not change revisions.
    async fn apply_scores(&mut self, scores: &[Scored]) -> Result<()>;
    /// Archives the memories of changes: state, `archived_at` = `at`, `delete_after` as given, revision + 1. Watchers
    /// of the vault see the reason for each. The caller has checked that each is active.
    async fn archive_memories(&mut self, changes: &[&Change], at: Timestamp, delete_after: Timestamp) -> Result<()>;
    /// Erases the memories of changes and records the reason for each. Their bytes count for the day of `at`, except
    /// those of memories in state `Deleted`, which their owner deleted.
    async fn prune_memories(&mut self, changes: &[&Change], at: Timestamp) -> Result<()>;
    /// Stores decisions with their run; positions continue after the run's last.
    async fn record_decisions(&mut self, run: MeditationId, decisions: &[Change], at: Timestamp) -> Result<()>;
    /// Erases memories now, in any state; ignores unknown numbers. Speakers, sessions and tags that only they used go
    /// with them. Does not count as erased by the system.
    async fn erase_memories(&mut self, seqs: &[Seq], at: Timestamp) -> Result<()>;
    /// Sets the state of one memory, its times and the next revision.
    async fn set_state(
        &mut self,
        seq: Seq,
        state: MemoryState,
        archived_at: Option<Timestamp>,
        delete_after: Option<Timestamp>,
        updated_at: Timestamp,
    ) -> Result<()>;

    /// Inserts or replaces rows of a declared table, by key. Encrypts words where a memory of the row is sensitive.
    /// The memories concerned must exist.
    async fn put_rows(&mut self, table: &'static Table, rows: &[Row]) -> Result<()>;
    /// Deletes the rows that a query matches, ignoring its limit; returns how many.
    async fn delete_rows(&mut self, query: &RowQuery) -> Result<u64>;

    /// Stores settings; returns the new revision.
    async fn put_settings(&mut self, settings: &UserSettings) -> Result<u64>;
    /// Inserts or replaces a goal. Marks all memories as changed, since relevance depends on goals.
    async fn put_goal(&mut self, goal: &Goal) -> Result<()>;
    /// Deletes a goal; `false` if there was none. Marks memories like `put_goal`.
    async fn delete_goal(&mut self, id: GoalId) -> Result<bool>;
    /// Inserts or replaces a consent record.
    async fn put_consent(&mut self, record: &ConsentRecord) -> Result<()>;
    /// Withholds every memory under a record: hides it at once from everything except exports that ask for such
    /// memories, and with `erase` from those too, until it is erased (see [`doomed`](Self::doomed)). Returns how many
    /// were visible before.
    async fn withhold(&mut self, id: ConsentId, erase: bool, at: Timestamp) -> Result<u64>;
    /// Releases memories that are withheld under `from` and covered by the scope of `into`, and moves them to that
    /// record. Returns how many.
    async fn release_withheld(&mut self, from: ConsentId, into: &ConsentRecord, at: Timestamp) -> Result<u64>;
    /// Withheld memories that must be erased, the oldest first, at most `limit`.
    async fn doomed(&mut self, limit: usize) -> Result<Doomed>;
    /// Recomputes traits of memories that older rules derived, the oldest first, at most `limit`; returns for how
    /// many. Changes nothing else.
    async fn renew_traits(&mut self, limit: usize) -> Result<u64>;
    /// Records that a blob is being uploaded, its largest size, and whether it is encrypted under the sensitive key.
    async fn stage_blob(&mut self, id: BlobId, most: u64, sealed: bool, at: Timestamp) -> Result<()>;
    /// Records that the upload is complete; returns the blob to use: this one, or an existing one with the same
    /// content and key, in which case this one is condemned. `None` if no upload of this blob is in progress.
    async fn store_blob(&mut self, id: BlobId, facts: &BlobFacts) -> Result<Option<BlobId>>;
    /// Condemns a blob whose upload is in progress; does nothing to others.
    async fn condemn_blob(&mut self, id: BlobId, at: Timestamp) -> Result<()>;
    /// Forgets condemned blobs, whose bytes are gone.
    async fn forget_blobs(&mut self, ids: &[BlobId]) -> Result<()>;
    /// Inserts an attachment.
    async fn insert_attachment(&mut self, attachment: &NewAttachment) -> Result<()>;
    /// Moves an attachment to another stored blob with the same bytes; condemns the old blob unless another attachment
    /// uses it. `false` if there is no such attachment.
    async fn move_attachment(&mut self, id: AttachmentId, to: BlobId) -> Result<bool>;
    /// Attaches an attachment to a memory; does nothing if it is attached already.
    async fn attach(&mut self, memory: Seq, id: AttachmentId) -> Result<()>;
    /// Detaches an attachment. With its last memory it is removed, and its blob is condemned unless another attachment
    /// uses it. Puts a job for that in the outbox, like everything that erases memories. `false` if it was not
    /// attached.
    async fn detach(&mut self, memory: Seq, id: AttachmentId, at: Timestamp) -> Result<bool>;
    /// Removes attachments that were never attached to a memory and were uploaded before `unreferenced`, and condemns
    /// blobs whose upload began before `staged`. Returns the number of removed attachments.
    async fn expire_attachments(&mut self, unreferenced: Timestamp, staged: Timestamp) -> Result<u64>;
    /// Inserts or replaces a run.
    async fn put_meditation(&mut self, meditation: &Meditation) -> Result<()>;
    /// Removes runs that ended before `before`, with their decisions, except the latest `newest`.
    async fn prune_meditations(&mut self, before: Timestamp, newest: usize) -> Result<u64>;

    /// Stores an answer for replays.
    async fn put_request(&mut self, record: &RequestRecord) -> Result<()>;
    /// Deletes answers given before `before`, at most `limit`.
    async fn prune_requests(&mut self, before: Timestamp, limit: usize) -> Result<u64>;
    /// Stores the progress of an import. Keeps [`MAX_IMPORTS`](crate::bounds::MAX_IMPORTS); evicts those inactive for
    /// longest.
    async fn put_import_progress(&mut self, import_id: &str, progress: ImportProgress, at: Timestamp) -> Result<()>;
    /// Deletes imports that were inactive since `before`.
    async fn prune_imports(&mut self, before: Timestamp) -> Result<u64>;
    /// Deletes the oldest changes from before `before`, at most `limit`. Never deletes one that is newer than one it
    /// keeps, nor the newest of all, so that there are no gaps and no number is reused.
    async fn prune_changes(&mut self, before: Timestamp, limit: usize) -> Result<u64>;
    /// Sets the actor of the following work, for entries whose actor is the caller.
    fn act_as(&mut self, name: &Arc<str>);
    /// Adds an entry to the audit.
    async fn audit(&mut self, entry: &AuditEntry) -> Result<()>;
    /// Removes the oldest entries of the audit from before `before`, at most `limit`. Never removes one that is newer
    /// than one it keeps, nor the last of all. Returns the last removed entry and how many were removed, which the
    /// audit must record.
    async fn prune_audit(&mut self, before: Timestamp, limit: usize) -> Result<Option<(AuditHead, u64)>>;
    /// Packs some of the oldest entries of the audit to save space; returns how many. Reads return the same as before.
    async fn compact_audit(&mut self) -> Result<usize>;
    /// Puts a job in the outbox. The store notes the vault in the registry before the commit.
    async fn enqueue(&mut self, job_id: Uuid, job: &Job, at: Timestamp, traceparent: Option<&str>) -> Result<()>;
    /// Records that an embedding job is queued, and with `asked_at` that it should not wait for the window. `false` if
    /// one was queued already: then no other is needed.
    async fn await_embedding(&mut self, asked_at: Option<Timestamp>) -> Result<bool>;
    /// Sets whether all vectors must be dropped and recomputed.
    async fn renew_embedding(&mut self, rebuild: bool) -> Result<()>;
    /// Records that the job has started: later writes need another one.
    async fn begin_embedding(&mut self) -> Result<()>;
    /// Adds to the vectors computed on a day, and deletes days that no limit considers any more.
    async fn add_embedded(&mut self, day: i64, vectors: u64) -> Result<()>;
    /// Stores the report of a sync. Clears a request not to wait that was made at `answered` or before.
    async fn put_embedding_report(&mut self, report: &EmbeddingReport, answered: Option<Timestamp>) -> Result<()>;
    /// Deletes relayed outbox rows.
    async fn remove_outbox(&mut self, positions: &[i64]) -> Result<()>;
    /// Does one page of rebuilding the full-text index: the first one without `after`, else what comes after the last
    /// result; `None` once all is done. Call it in transactions of their own, so that others get in between: the index
    /// answers and follows all changes meanwhile. A page fails if another run has begun since.
    async fn rebuild_index(&mut self, run: Uuid, after: Option<Seq>) -> Result<Option<Seq>>;
    /// Corrects the usage counters by what a recount found: both as read from one snapshot, which may be older than this
    /// transaction.
    async fn correct_usage(&mut self, stored: &Usage, counted: &Usage) -> Result<()>;
}
