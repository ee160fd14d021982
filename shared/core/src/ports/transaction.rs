//! Changing one vault, all or nothing.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{ImportProgress, VaultReader};
use crate::attachments::{BlobFacts, NewAttachment};
use crate::audit::{Actor, AuditHead};
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

/// A memory to insert; the vault gives it its number and its place in the session.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMemory {
    /// Its id.
    pub id: MemoryId,
    /// What the caller wrote, normalized.
    pub draft: MemoryDraft,
    /// Bytes it counts for.
    pub size_bytes: u64,
    /// Sentiment of the content in [-1, 1].
    pub sentiment: f64,
    /// What its wording says about it.
    pub traits: TextTraits,
    /// Its first score and why.
    pub score: ScoreRecord,
    /// When it is created.
    pub created_at: Timestamp,
    /// The name of the credential that creates it; empty if there is none.
    pub author: String,
}

impl NewMemory {
    /// The memory that it becomes, and why it has its score.
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

    /// The record that it becomes: helpful to none so far.
    pub fn into_record(self) -> MemoryRecord {
        let (memory, score) = self.into_memory(Seq(0));
        let (was_archived, was_deleted, past) = (false, false, Past::default());
        MemoryRecord { memory, helpful: 0, unhelpful: 0, score: Some(score), was_archived, was_deleted, past }
    }
}

/// What was done, for the audit log. Ids and numbers only, never content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub actor: Actor,
    /// What, such as `memory.create`.
    pub action: &'static str,
    /// Why it was refused, as the contract names it; `None` for what was done.
    pub refused: Option<&'static str>,
    /// About which thing, if one: an id.
    pub subject: Option<String>,
    /// How many things.
    pub count: u64,
}

/// Work that follows from a write; ids only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Job {
    /// Carry out a meditation run.
    Meditate {
        /// The run.
        meditation_id: MeditationId,
    },
    /// Bring the user's vectors in step with the vault.
    Embed,
    /// Erase the memories whose consent was retracted and that are still there.
    Erase,
    /// Read the turns that were observed.
    Extract {
        /// In so many seconds; 0 for now.
        after_s: u64,
    },
    /// Compact a session.
    Compact {
        /// One of its turns.
        turn_id: MemoryId,
    },
    /// Have the language model put a summary into words.
    Summarize {
        /// The summary.
        summary_id: MemoryId,
        /// In so many seconds; 0 for now.
        after_s: u64,
    },
    /// Remove the bytes of attachments that are no more, and attachments that nobody refers to.
    Attachments {
        /// In so many seconds; 0 for now.
        after_s: u64,
    },
}

/// A job waiting in a vault for the relay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxRow {
    /// Position in the outbox.
    pub position: i64,
    /// Id of the job; the queue's idempotency key.
    pub job_id: Uuid,
    /// The job.
    pub job: Job,
    /// When it was written.
    pub created_at: Timestamp,
    /// W3C trace context of the request that caused it.
    pub traceparent: Option<String>,
}

/// An answer to keep for replays.
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

/// That a memory was recalled or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The memory.
    pub seq: Seq,
    /// How often since the last touch.
    pub times: u64,
    /// When last.
    pub at: Timestamp,
}

/// Memories that were withheld to be erased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doomed {
    /// The oldest of them, with their numbers.
    pub oldest: Vec<(MemoryId, Seq)>,
    /// How many there are.
    pub all: u64,
}

/// Changes one vault. The vault itself keeps usage counters and the full-text index in step with every change, and
/// remembers, in the same transaction, every [`Change`](crate::memory::Change) of a memory's content or state, whichever
/// method made it, with the time that the method was given; touches, outcomes and scores are none.
#[async_trait]
pub trait VaultTransaction: VaultReader {
    /// This transaction as a reader.
    fn as_reader(&mut self) -> &mut dyn VaultReader;

    /// Inserts memories in order; returns their numbers. As everything that makes a record active, it fails with
    /// [`NameTaken`](crate::error::Error::NameTaken) if another active one of its namespace has its name.
    async fn insert_memories(&mut self, memories: &[NewMemory]) -> Result<Vec<Seq>>;
    /// Inserts records in order, with everything they say but their numbers; returns the numbers. They count in the totals
    /// over the vault's life as they lived elsewhere. `at` is when that happens.
    async fn insert_records(&mut self, records: &[MemoryRecord], at: Timestamp) -> Result<Vec<Seq>>;
    /// Writes a memory back under its number: draft, size, sentiment, score, state, times and revision as given.
    /// Marks it as changed, so that the next meditation scores it.
    async fn update_memory(&mut self, memory: &Memory, score: Option<&ScoreRecord>) -> Result<()>;
    /// Adds to access counts and moves last-seen times forward; unknown numbers are passed over. Marks as touched.
    async fn touch(&mut self, touches: &[Touch]) -> Result<()>;
    /// Adds outcomes to memories. Marks as touched.
    async fn add_outcomes(&mut self, seqs: &[Seq], helpful: u64, unhelpful: u64) -> Result<()>;
    /// Stores scores and clears the marks of these memories. Does not change revisions.
    async fn apply_scores(&mut self, scores: &[Scored]) -> Result<()>;
    /// Moves the memories of changes to the archive: state, `archived_at` = `at`, `delete_after` as given, revision + 1.
    /// Watchers of the vault get the reason of each. The caller has checked that each is active.
    async fn archive_memories(&mut self, changes: &[&Change], at: Timestamp, delete_after: Timestamp) -> Result<()>;
    /// Erases the memories of changes, and tells the reason of each. Their bytes count for the day of `at`, but not those
    /// of memories in state `Deleted`: there the owner asked for it.
    async fn prune_memories(&mut self, changes: &[&Change], at: Timestamp) -> Result<()>;
    /// Stores what was decided with its run, positions going on from the run's last.
    async fn record_decisions(&mut self, run: MeditationId, decisions: &[Change], at: Timestamp) -> Result<()>;
    /// Erases memories now, whatever their state; unknown numbers are passed over. What only they used (speakers,
    /// sessions, tags) goes with them. Does not count among what the system erased.
    async fn erase_memories(&mut self, seqs: &[Seq], at: Timestamp) -> Result<()>;
    /// Sets the state of one memory with its times and the next revision.
    async fn set_state(
        &mut self,
        seq: Seq,
        state: MemoryState,
        archived_at: Option<Timestamp>,
        delete_after: Option<Timestamp>,
        updated_at: Timestamp,
    ) -> Result<()>;

    /// Inserts rows of a declared table, each in the place of one with the same key. Words are sealed where a memory of the
    /// row is sensitive. The memories that they are about must be there.
    async fn put_rows(&mut self, table: &'static Table, rows: &[Row]) -> Result<()>;
    /// Removes the rows that a query finds, whatever its limit; returns how many.
    async fn delete_rows(&mut self, query: &RowQuery) -> Result<u64>;

    /// Stores settings; returns the new revision.
    async fn put_settings(&mut self, settings: &UserSettings) -> Result<u64>;
    /// Inserts or replaces a goal. All memories are marked as changed, because relevance depends on goals.
    async fn put_goal(&mut self, goal: &Goal) -> Result<()>;
    /// Removes a goal; `false` if there was none. Marks like `put_goal`.
    async fn delete_goal(&mut self, id: GoalId) -> Result<bool>;
    /// Inserts or replaces a record of consent.
    async fn put_consent(&mut self, record: &ConsentRecord) -> Result<()>;
    /// Withholds every memory under a record: hides it at once from everything but exports that ask for such memories,
    /// and with `erase` from those too, until it is erased (see [`doomed`](Self::doomed)). Returns how many
    /// were seen until now.
    async fn withhold(&mut self, id: ConsentId, erase: bool, at: Timestamp) -> Result<u64>;
    /// Shows again what is withheld under `from` and held by the scope of `into`, and puts it under that one. Returns how
    /// many memories that were.
    async fn release_withheld(&mut self, from: ConsentId, into: &ConsentRecord, at: Timestamp) -> Result<u64>;
    /// Memories that were withheld to be erased, the oldest first, at most `limit`.
    async fn doomed(&mut self, limit: usize) -> Result<Doomed>;
    /// Derives the traits of memories again where other rules did, the oldest first, at most `limit`; returns of how
    /// many. Nothing else of them changes.
    async fn renew_traits(&mut self, limit: usize) -> Result<u64>;
    /// Notes that the bytes of a blob are coming, how many at most, and whether under the sensitive key.
    async fn stage_blob(&mut self, id: BlobId, most: u64, sealed: bool, at: Timestamp) -> Result<()>;
    /// Notes that they are there; returns the blob that holds them: this one, or one with the same content under the same
    /// key, and then this
    /// one is condemned. `None` if the blob is not one whose bytes are coming.
    async fn store_blob(&mut self, id: BlobId, facts: &BlobFacts) -> Result<Option<BlobId>>;
    /// Condemns a blob whose bytes are coming; nothing happens to others.
    async fn condemn_blob(&mut self, id: BlobId, at: Timestamp) -> Result<()>;
    /// Forgets blobs that are condemned, whose bytes are gone by now.
    async fn forget_blobs(&mut self, ids: &[BlobId]) -> Result<()>;
    /// Inserts an attachment.
    async fn insert_attachment(&mut self, attachment: &NewAttachment) -> Result<()>;
    /// Puts an attachment over another blob, whose bytes are there and the same; the one before is condemned unless another
    /// attachment has it too. `false` if there is no such attachment.
    async fn move_attachment(&mut self, id: AttachmentId, to: BlobId) -> Result<bool>;
    /// Hangs an attachment on a memory; nothing happens if it does already.
    async fn attach(&mut self, memory: Seq, id: AttachmentId) -> Result<()>;
    /// Takes it off again; with its last memory it goes, and its blob is condemned unless another attachment has it too. A
    /// job for that is put in the outbox, as it is by everything that erases memories. `false` if it did not hang there.
    async fn detach(&mut self, memory: Seq, id: AttachmentId, at: Timestamp) -> Result<bool>;
    /// Removes attachments that never hung on a memory and were uploaded before `unreferenced`, and condemns blobs whose
    /// bytes began to come before `staged`. Returns how many attachments that were.
    async fn expire_attachments(&mut self, unreferenced: Timestamp, staged: Timestamp) -> Result<u64>;
    /// Inserts or replaces a run.
    async fn put_meditation(&mut self, meditation: &Meditation) -> Result<()>;
    /// Removes runs, with their decisions, that ended before `before`, but for the latest `keep`.
    async fn prune_meditations(&mut self, before: Timestamp, keep: usize) -> Result<u64>;

    /// Keeps an answer for replays.
    async fn put_request(&mut self, record: &RequestRecord) -> Result<()>;
    /// Forgets answers given before `before`, at most `limit`.
    async fn prune_requests(&mut self, before: Timestamp, limit: usize) -> Result<u64>;
    /// Remembers how far an import came. Keeps [`MAX_IMPORTS`](crate::bounds::MAX_IMPORTS); those that did nothing for
    /// longest go first.
    async fn put_import_progress(&mut self, import_id: &str, progress: ImportProgress, at: Timestamp) -> Result<()>;
    /// Forgets imports that did nothing since `before`.
    async fn prune_imports(&mut self, before: Timestamp) -> Result<u64>;
    /// Forgets the oldest changes, those from before `before`, at most `limit`. Never forgets one that is newer than one
    /// it keeps, nor the newest of all, so that what is kept has no gaps and no number is used again.
    async fn prune_changes(&mut self, before: Timestamp, limit: usize) -> Result<u64>;
    /// Names who does what follows in this work, for entries whose actor is the caller.
    fn act_as(&mut self, name: &Arc<str>);
    /// Adds an entry to the audit.
    async fn audit(&mut self, entry: &AuditEntry) -> Result<()>;
    /// Takes the oldest entries out of the audit, those from before `before`, at most `limit`. Never takes one that is newer
    /// than one it keeps, nor the last of all. Returns the last that it took and how many: the audit must tell of them.
    async fn prune_audit(&mut self, before: Timestamp, limit: usize) -> Result<Option<(AuditHead, u64)>>;
    /// Keeps the oldest entries of the audit in less room, some at a time; returns how many. Nothing that is read changes.
    async fn compact_audit(&mut self) -> Result<usize>;
    /// Puts a job in the outbox. The store marks the vault in the registry before the commit.
    async fn enqueue(&mut self, job_id: Uuid, job: &Job, at: Timestamp, traceparent: Option<&str>) -> Result<()>;
    /// Notes that a job for the embedder is on its way, and with `asked_at` that it should not wait for the window.
    /// `false` if one was on its way already: then no other is needed.
    async fn await_embedding(&mut self, asked_at: Option<Timestamp>) -> Result<bool>;
    /// Notes whether all vectors are to be dropped and made again.
    async fn renew_embedding(&mut self, anew: bool) -> Result<()>;
    /// Notes that the job has come: whatever is written from now on needs another one.
    async fn begin_embedding(&mut self) -> Result<()>;
    /// Adds to the vectors computed on a day, and forgets days that no limit looks at any more.
    async fn add_embedded(&mut self, day: i64, vectors: u64) -> Result<()>;
    /// Keeps what a sync left. A wish not to wait that was made at `answered` or before is fulfilled by it.
    async fn put_embedding_report(&mut self, report: &EmbeddingReport, answered: Option<Timestamp>) -> Result<()>;
    /// Removes outbox rows that were relayed.
    async fn remove_outbox(&mut self, positions: &[i64]) -> Result<()>;
    /// Drops and rebuilds everything derived: full-text index and usage counters.
    async fn rebuild_derived(&mut self) -> Result<()>;
}
