//! Reading one vault from one consistent snapshot.

use async_trait::async_trait;

use crate::attachments::{Attachment, AttachmentUsage, PendingBlobs};
use crate::consent::ConsentRecord;
use crate::embedding::{EligibleSubject, EmbeddingLedger};
use crate::error::Result;
use crate::goals::{Goal, GoalStatus};
use crate::ids::{BlobId, GoalId, MeditationId, MemoryId, Seq};
use crate::meditation::{Meditation, RecordedDecision, RetentionItem, ScoringItem, TagOutcomes};
use crate::memory::{ChangeRange, ListOrder, Memory, MemoryFilter, MemoryRecord, Tier};
use crate::ports::{
    AttachmentQuery, AuditReader, ChangeQuery, ConsentCount, ConsentQuery, LexicalHit, LexicalQuery, ListKey, Named,
    NamesQuery, Neighbour, OutboxRow, SeenChange, SessionSpot,
};
use crate::scoring::ScoreRecord;
use crate::settings::StoredSettings;
use crate::tables::{Row, RowCount, RowQuery};
use crate::time::Timestamp;
use crate::usage::Usage;

/// The earlier answer to a write with the same request id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorRequest {
    /// SHA-256 of the request's body.
    pub fingerprint: [u8; 32],
    /// The answer as JSON, without content.
    pub answer: String,
}

/// The data that every write needs, read in one query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteContext {
    /// The user's settings.
    pub settings: StoredSettings,
    /// Usage before the write.
    pub usage: Usage,
    /// All active goals.
    pub goals: Vec<Goal>,
    /// The earlier answer for the request id, if one was given.
    pub prior: Option<PriorRequest>,
    /// The run that is scheduled and waiting (trigger schedule, quota or request), if any; the first of several.
    pub waiting_meditation: Option<MeditationId>,
}

/// Metadata that decides whether a caller reaches a memory; stored before the memory's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFacts {
    /// The memory's number.
    pub seq: Seq,
    /// Its tier.
    pub tier: Tier,
    /// Its namespace; empty for the default one.
    pub namespace: String,
    /// Whether it is sensitive.
    pub sensitive: bool,
    /// Whether it is withheld because its consent was retracted.
    pub withheld: bool,
}

/// Sizes on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VaultSizes {
    /// Size of the vault's folder.
    pub disk_bytes: u64,
    /// Size of the full-text index in it.
    pub index_bytes: u64,
}

/// The progress of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportProgress {
    /// Number of items processed, from the first on.
    pub done: u64,
    /// How many of those were refused.
    pub refused: u64,
}

/// Reads one vault. Methods that return memories exclude those withheld because their consent was retracted, unless
/// stated otherwise. Every method runs one or a few queries; none waits for a writer.
///
/// A page that is bounded by bytes, and one of memories to score, may be shorter than its limit though more follow: only
/// an empty one is the last. All other pages have as many items as the limit says, if there are as many.
#[async_trait]
pub trait VaultReader: AuditReader {
    /// The data that every write needs; `request_id` selects an earlier answer.
    async fn write_context(&mut self, request_id: Option<&str>) -> Result<WriteContext>;
    /// The user's settings.
    async fn settings(&mut self) -> Result<StoredSettings>;
    /// The usage counters.
    async fn usage(&mut self) -> Result<Usage>;
    /// Recounts the usage to verify the counters. Lifetime totals are taken from the counters.
    async fn recount(&mut self) -> Result<Usage>;
    /// Sizes on disk.
    async fn sizes(&mut self) -> Result<VaultSizes>;

    /// Metadata of each memory, withheld or not; `None` for unknown ids. Reads no content, so that known and unknown
    /// ids cost about the same.
    async fn row_facts(&mut self, ids: &[MemoryId]) -> Result<Vec<Option<RowFacts>>>;
    /// Returns a memory in any state.
    async fn memory(&mut self, id: MemoryId) -> Result<Option<Memory>>;
    /// Returns memories by number, in the order given; missing ones are omitted.
    async fn memories(&mut self, seqs: &[Seq]) -> Result<Vec<Memory>>;
    /// Returns the numbers of memories by id; unknown ones are omitted.
    async fn seqs(&mut self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Seq)>>;
    /// Lists memories that pass the filter, in order, after `after`; at most `limit` and about `max_bytes` of content,
    /// but at least one if there is one.
    async fn list(
        &mut self,
        filter: &MemoryFilter,
        order: ListOrder,
        after: Option<ListKey>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Vec<Memory>>;
    /// Returns the active record of a namespace with this name, withheld or not. A sensitive one is found only where
    /// it can be decrypted.
    async fn id_named(&mut self, namespace: &str, name: &str) -> Result<Option<MemoryId>>;
    /// Lists active records with names, ordered by name.
    async fn names(&mut self, query: &NamesQuery) -> Result<Vec<Named>>;
    /// The explanation of a memory's score; `None` if it was never scored.
    async fn score_record(&mut self, seq: Seq) -> Result<Option<ScoreRecord>>;
    /// Decisions about a memory, newest first.
    async fn decisions_about(&mut self, id: MemoryId, limit: usize) -> Result<Vec<RecordedDecision>>;

    /// Finds memories that match, best BM25 first, ties by number; at most `limit`. A word of a term may be any text,
    /// such as one that the index's tokenizer splits (the pieces then form a phrase) or drops (the term then matches
    /// nothing).
    async fn lexical(&mut self, query: &LexicalQuery, limit: usize) -> Result<Vec<LexicalHit>>;
    /// Memories at these spots that pass the filter, in no particular order, with a `bm25` of 0.
    async fn at_spots(&mut self, spots: &[SessionSpot], filter: &MemoryFilter) -> Result<Vec<Neighbour>>;
    /// Memories with these numbers that pass the filter, each once, in no particular order, with a `bm25` of 0.
    async fn at_seqs(&mut self, seqs: &[Seq], filter: &MemoryFilter) -> Result<Vec<LexicalHit>>;
    /// Finds memories whose content contains `text`, ignoring ASCII case; newest first, with a `bm25` of 0.
    async fn substring(&mut self, text: &str, filter: &MemoryFilter, limit: usize) -> Result<Vec<LexicalHit>>;
    /// For each word whether the full-text index contains its stem, among the memories that pass a filter, or all.
    /// Every query calls this once.
    async fn known_words(&mut self, words: &[String], among: Option<&MemoryFilter>) -> Result<Vec<bool>>;
    /// Stems in the index, with the number of memories that contain them, that start with one of `first_letters` and
    /// have between `min_len` and `max_len` characters: candidates for a misspelled word.
    async fn vocabulary(
        &mut self,
        first_letters: &[char],
        min_len: usize,
        max_len: usize,
    ) -> Result<Vec<(String, u64)>>;
    /// The latest 256 speakers of the vault, with their numbers.
    async fn speakers(&mut self) -> Result<Vec<(i64, String)>>;
    /// A number that every commit to this vault changes: equal numbers from any two readers of the same vault, on any
    /// connections of this process, mean that nothing was committed in between. Used by caches, so it must be cheap.
    /// (SQLite's `PRAGMA data_version` alone is not enough: it compares within one connection only. A counter in a row
    /// that every transaction writes anyway is.)
    async fn data_version(&mut self) -> Result<u64>;
    /// A number that differs between two snapshots of a vault between which something changed that a graph of entities
    /// is built from: memories, other than by adding or using them, or rows of the tables of
    /// [`EVIDENCE`](crate::entities::EVIDENCE). Used by caches, so it must be cheap.
    async fn evidence_version(&mut self) -> Result<u64>;

    /// The range of stored changes. Watchers poll it, so it must be cheap.
    async fn change_range(&mut self) -> Result<ChangeRange>;
    /// Changes in order of their number, including those whose memory does not pass the filter, so that a caller knows
    /// how far it has looked.
    async fn changes(&mut self, query: &ChangeQuery) -> Result<Vec<SeenChange>>;
    /// Records of memories that pass the filter (which may admit withheld ones), with a number above `after`, in order
    /// of number; at most `limit` and about `max_bytes` of content, but at least one if there is one.
    async fn export(
        &mut self,
        filter: &MemoryFilter,
        after: Option<Seq>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Vec<MemoryRecord>>;
    /// Records by id, in no particular order, including withheld ones; unknown ids are omitted.
    async fn records(&mut self, ids: &[MemoryId]) -> Result<Vec<MemoryRecord>>;
    /// The progress of an import; `None` for an unknown one.
    async fn import_progress(&mut self, import_id: &str) -> Result<Option<ImportProgress>>;

    /// Rows of a declared table, in order. Rows about memories that do not pass are omitted.
    async fn rows(&mut self, query: &RowQuery) -> Result<Vec<Row>>;
    /// The number of rows that a query matches, ignoring its limit, and the sum of a column over them.
    async fn count_rows(&mut self, query: &RowQuery, sum: Option<&'static str>) -> Result<RowCount>;
    /// Numbers of the memories that pass the query's filter and that no row is about for which its conditions hold, in
    /// order. The table has one column of memories; limit, start and order of the query are ignored.
    async fn seqs_without_row(&mut self, query: &RowQuery) -> Result<Vec<Seq>>;

    /// Returns a goal.
    async fn goal(&mut self, id: GoalId) -> Result<Option<Goal>>;
    /// Goals, newest first (by creation time, then id), after `after`.
    async fn goals(
        &mut self,
        status: Option<GoalStatus>,
        after: Option<(Timestamp, GoalId)>,
        limit: usize,
    ) -> Result<Vec<Goal>>;
    /// Number of all goals and of active ones.
    async fn count_goals(&mut self) -> Result<(usize, usize)>;

    /// Consent records.
    async fn consents(&mut self, query: &ConsentQuery) -> Result<Vec<ConsentRecord>>;
    /// Number of all records and of those in force at a time.
    async fn count_consents(&mut self, at: Timestamp) -> Result<ConsentCount>;

    /// Attachments, except those attached only to withheld memories.
    async fn attachments(&mut self, query: &AttachmentQuery) -> Result<Vec<Attachment>>;
    /// All attachments, whatever they are attached to, with all of their memories except those about to be erased.
    async fn every_attachment(&mut self, query: &AttachmentQuery) -> Result<Vec<Attachment>>;
    /// Number and size of the attachments.
    async fn attachment_usage(&mut self) -> Result<AttachmentUsage>;
    /// Blobs being uploaded or removed; at most `limit` condemned ones.
    async fn pending_blobs(&mut self, limit: usize) -> Result<PendingBlobs>;
    /// Lists blobs whose bytes exist or may exist, by id: those above `after`, at most `limit`; with whether the bytes
    /// must exist.
    async fn blobs(&mut self, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, bool)>>;

    /// Returns a run.
    async fn meditation(&mut self, id: MeditationId) -> Result<Option<Meditation>>;
    /// Runs, newest first (by id), after `after`.
    async fn meditations(&mut self, after: Option<MeditationId>, limit: usize) -> Result<Vec<Meditation>>;
    /// The run of trigger schedule, quota or request that is still `scheduled`, if any.
    async fn waiting_meditation(&mut self) -> Result<Option<Meditation>>;
    /// When the last complete run ended.
    async fn last_meditation(&mut self) -> Result<Option<Timestamp>>;
    /// Decisions of a run with a position above `after`, in order.
    async fn decisions(&mut self, id: MeditationId, after: u64, limit: usize) -> Result<Vec<RecordedDecision>>;

    /// Active and archived memories to score, with a number above `after`, in order: with `full` all of them, else
    /// only new, touched, never-scored and otherwise changed ones. At most `limit`, and fewer if their contents have more
    /// than [`SCORING_PAGE_BYTES`](crate::meditation::SCORING_PAGE_BYTES): only an empty page is the end.
    async fn scoring_items(&mut self, full: bool, after: Option<Seq>, limit: usize) -> Result<Vec<ScoringItem>>;
    /// Outcomes of each tag that has any, ordered by tag.
    async fn tag_outcomes(&mut self) -> Result<Vec<TagOutcomes>>;
    /// The properties of every memory that retention needs, in order of number. Excludes withheld ones, unless their owner
    /// deleted them: those cannot be restored.
    async fn retention_items(&mut self) -> Result<Vec<RetentionItem>>;
    /// Bytes that a meditation may archive, in the order of `Tier::ALL`: of active memories that are neither lasting
    /// nor withheld. Counted from the memories, so call it only when a refusal depends on it.
    async fn movable_bytes(&mut self) -> Result<[u64; 3]>;
    /// Bytes of active lasting memories, in the same order. Also counted from the memories.
    async fn lasting_bytes(&mut self) -> Result<[u64; 3]>;
    /// The number of a session.
    async fn session_number(&mut self, session_id: &str) -> Result<Option<i64>>;
    /// Bytes erased by the system on a day (see `Timestamp::day`), without memories deleted by their owners.
    async fn pruned_on(&mut self, day: i64) -> Result<u64>;
    /// The embedding state of the vault, as of a day (see `Timestamp::day`).
    async fn embedding_ledger(&mut self, day: i64) -> Result<EmbeddingLedger>;
    /// Every subject that has vectors, without its text, ordered by subject: active or archived memories that are
    /// neither sensitive nor withheld, and active goals.
    async fn embedding_subjects(&mut self) -> Result<Vec<EligibleSubject>>;
    /// Outbox rows, oldest first.
    async fn outbox(&mut self, limit: usize) -> Result<Vec<OutboxRow>>;
}
