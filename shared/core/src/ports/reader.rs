//! Reading one vault, on one consistent snapshot.

use async_trait::async_trait;

use crate::attachments::{Attachment, AttachmentUsage, PendingBlobs};
use crate::audit::AuditHead;
use crate::consent::ConsentRecord;
use crate::embedding::{EligibleSubject, EmbeddingLedger};
use crate::error::Result;
use crate::goals::{Goal, GoalStatus};
use crate::ids::{AttachmentId, BlobId, ConsentId, GoalId, MeditationId, MemoryId, Seq};
use crate::meditation::{Meditation, RecordedDecision, RetentionItem, ScoringItem, TagOutcomes};
use crate::memory::{Change, ChangeRange, ListOrder, Memory, MemoryFilter, MemoryRecord, Tier};
use crate::ports::{AuditReader, OutboxRow};
use crate::scoring::ScoreRecord;
use crate::settings::StoredSettings;
use crate::tables::{Row, RowCount, RowQuery};
use crate::text::TextTraits;
use crate::time::Timestamp;
use crate::usage::Usage;

/// The place in a list that a page ended at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ListKey {
    /// Creation time of the last item.
    pub created_at: Timestamp,
    /// Number of the last item.
    pub seq: Seq,
}

/// What a write was answered before, under the same request id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorRequest {
    /// SHA-256 of the request's body.
    pub fingerprint: [u8; 32],
    /// The answer as JSON, without content.
    pub answer: String,
}

/// What every write needs to know, read in one go.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteContext {
    /// The user's settings.
    pub settings: StoredSettings,
    /// Usage before the write.
    pub usage: Usage,
    /// All goals that are active.
    pub goals: Vec<Goal>,
    /// The earlier answer to the same request id, if one was asked about.
    pub prior: Option<PriorRequest>,
    /// The run (of trigger schedule, quota or request) that is scheduled and waiting, if any; the first of several.
    pub waiting_meditation: Option<MeditationId>,
}

/// One term of a lexical query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexicalTerm {
    /// The words, to be found next to each other if more than one. Plain text: the backend quotes and stems it.
    pub words: Vec<String>,
    /// Whether the last word may go on.
    pub prefix: bool,
}

impl LexicalTerm {
    /// One whole word.
    pub fn word(word: &str) -> Self {
        Self { words: vec![word.to_owned()], prefix: false }
    }
}

/// A query for the full-text index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LexicalQuery {
    /// At least one of these must be found; each adds its BM25.
    pub any: Vec<LexicalTerm>,
    /// All of these must be found too.
    pub all: Vec<LexicalTerm>,
    /// Which memories may be found.
    pub filter: MemoryFilter,
}

/// Where a memory stands in its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionSpot {
    /// Number of the session in the vault.
    pub session: i64,
    /// Position in it, counting up from 0 in order of creation; positions of erased memories stay empty.
    pub position: i64,
}

/// A memory that matched.
#[derive(Clone, Debug, PartialEq)]
pub struct LexicalHit {
    /// Its number.
    pub seq: Seq,
    /// BM25, positive, larger is better.
    pub bm25: f64,
    /// Its session and position, if it has one.
    pub spot: Option<SessionSpot>,
    /// Number of its speaker in the vault, if known.
    pub speaker: Option<i64>,
    /// When what it tells happened.
    pub occurred_at: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// What its wording says about it.
    pub traits: TextTraits,
    /// Its score.
    pub score: f64,
    /// Its tier.
    pub tier: Tier,
    /// Whether a part of what it rested on is gone.
    pub stale: bool,
}

/// A memory near a hit in its session; passes the same filter.
pub type Neighbour = LexicalHit;

/// What says whether a caller reaches a memory; all of it stands in front of the memory's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFacts {
    /// Its number.
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

/// Which names of active records are asked for; they come in the order of their bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamesQuery {
    /// Of these records, whatever their states; withheld ones are left out.
    pub filter: MemoryFilter,
    /// Those that begin with this
    pub prefix: String,
    /// and come after this.
    pub after: String,
    /// At most this many.
    pub limit: usize,
}

/// An active record with a name, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The record.
    pub id: MemoryId,
    /// Its number.
    pub seq: Seq,
    /// Its tier.
    pub tier: Tier,
    /// Whether it is sensitive.
    pub sensitive: bool,
    /// Bytes of its content.
    pub content_bytes: u64,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// Counts writes, from 1; the etag.
    pub revision: u64,
}

/// Bytes on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VaultSizes {
    /// The vault's folder.
    pub disk_bytes: u64,
    /// The full-text index within it.
    pub index_bytes: u64,
}

/// How far an import came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportProgress {
    /// Items that are done, from the first on.
    pub done: u64,
    /// How many of them were refused.
    pub refused: u64,
}

/// Which changes are asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangeQuery {
    /// Changes with a number above this.
    pub after: u64,
    /// Which memories, judged as they are now.
    pub filter: MemoryFilter,
    /// Whether to return the memories too.
    pub with_memories: bool,
    /// At most this many changes,
    pub limit: usize,
    /// and about so many bytes of memories, but at least one change if there is one.
    pub max_bytes: usize,
}

/// A change, seen together with its memory as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenChange {
    /// The change.
    pub change: Change,
    /// Whether the memory passes the filter; one that is erased by now does.
    pub passes: bool,
    /// The memory, if it was asked for, passes, and is not erased by now.
    pub memory: Option<Memory>,
}

/// Where a vault's audit begins and ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuditRange {
    /// The last entry that was pruned; `None` if none was.
    pub pruned: Option<AuditHead>,
    /// Number of the last entry, as the vault keeps it beside the entries; 0 if there is none.
    pub last: u64,
}

/// Which entries of the audit are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// Those with a number above this,
    pub after: u64,
    /// and below this, if given.
    pub before: Option<u64>,
    /// From the last one back, instead of from the first one on.
    pub newest_first: bool,
    /// Only those with this actor,
    pub actor: Option<String>,
    /// this action,
    pub action: Option<String>,
    /// and this subject, if given.
    pub subject: Option<String>,
    /// At most this many.
    pub limit: usize,
}

/// Which consent records are asked for; they come newest first, by the time they were granted and then by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsentQuery {
    /// Those that allow something at a time.
    Active(Timestamp),
    /// These; unknown ones are left out.
    Ids(Vec<ConsentId>),
    /// A page.
    Page {
        /// Retracted ones too.
        retracted: bool,
        /// Where the page before ended.
        after: Option<(Timestamp, ConsentId)>,
        /// At most this many.
        limit: usize,
    },
}

/// Which attachments are asked for; they come oldest first, by the time they were uploaded and then by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttachmentQuery {
    /// These; unknown ones are left out.
    Ids(Vec<AttachmentId>),
    /// Those of a memory.
    OfMemory(Seq),
    /// Those that hang on a sensitive memory and whose bytes are not sealed under the sensitive key; at most so many.
    ToSeal(usize),
    /// A page.
    Page {
        /// Where the page before ended.
        after: Option<(Timestamp, AttachmentId)>,
        /// At most this many.
        limit: usize,
    },
}

/// How many consent records there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsentCount {
    /// In all.
    pub all: usize,
    /// Those that allow something at the time that was asked about.
    pub active: usize,
}

/// For each word whether it is known, and what a query found if all are.
pub type KnownAndFound = (Vec<bool>, Option<Vec<LexicalHit>>);

/// [`VaultReader::known_and_found`], one after the other.
pub async fn known_then_found<R: VaultReader + ?Sized>(
    reader: &mut R,
    words: &[String],
    query: &LexicalQuery,
    limit: usize,
) -> Result<KnownAndFound> {
    let known = reader.known_words(words, None).await?;
    let found = if known.contains(&false) { None } else { Some(reader.lexical(query, limit).await?) };
    Ok((known, found))
}

/// Reads one vault. Methods that hand out memories hide those that are withheld because their consent was retracted,
/// unless they say otherwise. Every method is one query or a few; none waits for a writer.
#[async_trait]
pub trait VaultReader: AuditReader {
    /// What every write needs to know; `request_id` asks for an earlier answer.
    async fn write_context(&mut self, request_id: Option<&str>) -> Result<WriteContext>;
    /// The user's settings.
    async fn settings(&mut self) -> Result<StoredSettings>;
    /// Usage counters.
    async fn usage(&mut self) -> Result<Usage>;
    /// Usage by a full count, to check the counters against. Totals over life are taken from the counters.
    async fn recount(&mut self) -> Result<Usage>;
    /// Bytes on disk.
    async fn sizes(&mut self) -> Result<VaultSizes>;

    /// For each id the facts of its memory, withheld or not; `None` where there is none. Reads no content, so that it costs
    /// about the same whether there is one.
    async fn row_facts(&mut self, ids: &[MemoryId]) -> Result<Vec<Option<RowFacts>>>;
    /// One memory in any state.
    async fn memory(&mut self, id: MemoryId) -> Result<Option<Memory>>;
    /// Memories by number, in the order asked; missing ones are left out.
    async fn memories(&mut self, seqs: &[Seq]) -> Result<Vec<Memory>>;
    /// The numbers of memories by id; unknown ones are left out.
    async fn seqs(&mut self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Seq)>>;
    /// Memories that pass the filter, in order, after `after`; at most `limit` and about `max_bytes` of content, but at
    /// least one if there is one.
    async fn list(
        &mut self,
        filter: &MemoryFilter,
        order: ListOrder,
        after: Option<ListKey>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Vec<Memory>>;
    /// The active record of a namespace that has this name, withheld or not. A sensitive one is found where it can be opened.
    async fn id_named(&mut self, namespace: &str, name: &str) -> Result<Option<MemoryId>>;
    /// Active records with names, in order of their names.
    async fn names(&mut self, query: &NamesQuery) -> Result<Vec<Named>>;
    /// Why a memory has its score; `None` if it was never scored.
    async fn score_record(&mut self, seq: Seq) -> Result<Option<ScoreRecord>>;
    /// Decisions about a memory, newest first.
    async fn decisions_about(&mut self, id: MemoryId, limit: usize) -> Result<Vec<RecordedDecision>>;

    /// Memories that match, best BM25 first, ties by number; at most `limit`. A word of a term may be anything, such as
    /// one that the index's tokenizer splits (its pieces then make a phrase) or drops (the term then matches nothing).
    async fn lexical(&mut self, query: &LexicalQuery, limit: usize) -> Result<Vec<LexicalHit>>;
    /// Memories at these spots that pass the filter, in no particular order, with a `bm25` of 0.
    async fn at_spots(&mut self, spots: &[SessionSpot], filter: &MemoryFilter) -> Result<Vec<Neighbour>>;
    /// Memories with these numbers that pass the filter, each once, in no particular order, with a `bm25` of 0.
    async fn at_seqs(&mut self, seqs: &[Seq], filter: &MemoryFilter) -> Result<Vec<LexicalHit>>;
    /// Memories whose content holds `text`, without regard to ASCII case; newest first, with a `bm25` of 0.
    async fn substring(&mut self, text: &str, filter: &MemoryFilter, limit: usize) -> Result<Vec<LexicalHit>>;
    /// For each word whether the full-text index holds its stem, `among` those memories that pass a filter or all. Asked
    /// once by every query, so it should be one statement.
    async fn known_words(&mut self, words: &[String], among: Option<&MemoryFilter>) -> Result<Vec<bool>>;
    /// Both at once: which words are known among all memories, and, if every one is, what `lexical` finds. Most queries ask nothing
    /// else of the index, so it should be one statement.
    async fn known_and_found(&mut self, words: &[String], query: &LexicalQuery, limit: usize) -> Result<KnownAndFound>;
    /// Stems in the index, with the number of memories that hold them, that start with one of `first_letters` and have
    /// between `min_len` and `max_len` characters: candidates for a misspelled word.
    async fn vocabulary(
        &mut self,
        first_letters: &[char],
        min_len: usize,
        max_len: usize,
    ) -> Result<Vec<(String, u64)>>;
    /// Speakers of the vault with their numbers, the 256 latest.
    async fn speakers(&mut self) -> Result<Vec<(i64, String)>>;
    /// A number that every commit to this vault changes: equal numbers from any two readers of the
    /// same vault, on whatever connection of this process, mean that nothing was committed in between. For caches, so it
    /// must be cheap. (SQLite's `PRAGMA data_version` alone will not do: it compares within one connection only. A
    /// counter that every transaction raises in a row it writes anyway does.)
    async fn data_version(&mut self) -> Result<u64>;

    /// The changes that are kept. Asked again and again by everybody who watches, so it must be cheap.
    async fn change_range(&mut self) -> Result<ChangeRange>;
    /// Changes in order of their number, those whose memory does not pass the filter too, so that a caller knows how far
    /// it has looked.
    async fn changes(&mut self, query: &ChangeQuery) -> Result<Vec<SeenChange>>;
    /// Records of memories that pass the filter, which may let withheld ones through, with a number above `after`, in order of number; at most `limit` and
    /// about `max_bytes` of content, but at least one if there is one.
    async fn export(
        &mut self,
        filter: &MemoryFilter,
        after: Option<Seq>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Vec<MemoryRecord>>;
    /// Records by id, in no particular order, withheld ones too; unknown ids are left out.
    async fn records(&mut self, ids: &[MemoryId]) -> Result<Vec<MemoryRecord>>;
    /// How far an import came; `None` for one that is not known.
    async fn import_progress(&mut self, import_id: &str) -> Result<Option<ImportProgress>>;

    /// Rows of a declared table, in their order. Rows about memories that do not pass are not there.
    async fn rows(&mut self, query: &RowQuery) -> Result<Vec<Row>>;
    /// How many rows a query finds, whatever its limit, and what a column sums to over them.
    async fn count_rows(&mut self, query: &RowQuery, sum: Option<&'static str>) -> Result<RowCount>;

    /// One goal.
    async fn goal(&mut self, id: GoalId) -> Result<Option<Goal>>;
    /// Goals, newest first (by creation time, then id), after `after`.
    async fn goals(
        &mut self,
        status: Option<GoalStatus>,
        after: Option<(Timestamp, GoalId)>,
        limit: usize,
    ) -> Result<Vec<Goal>>;
    /// How many goals there are, and how many of them are active.
    async fn count_goals(&mut self) -> Result<(usize, usize)>;

    /// Records of consent.
    async fn consents(&mut self, query: &ConsentQuery) -> Result<Vec<ConsentRecord>>;
    /// How many there are, and how many of them are active at a time.
    async fn count_consents(&mut self, at: Timestamp) -> Result<ConsentCount>;

    /// Attachments, but for those that hang on withheld memories alone.
    async fn attachments(&mut self, query: &AttachmentQuery) -> Result<Vec<Attachment>>;
    /// Attachments whatever they hang on, with all of their memories but those that are to be erased.
    async fn every_attachment(&mut self, query: &AttachmentQuery) -> Result<Vec<Attachment>>;
    /// What they are and hold.
    async fn attachment_usage(&mut self) -> Result<AttachmentUsage>;
    /// Blobs on their way, of the condemned ones at most `limit`.
    async fn pending_blobs(&mut self, limit: usize) -> Result<PendingBlobs>;
    /// All blobs whose bytes should be there, or may be, by id: those above `after`, at most `limit`; with whether their
    /// bytes must be there.
    async fn blobs(&mut self, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, bool)>>;

    /// One run.
    async fn meditation(&mut self, id: MeditationId) -> Result<Option<Meditation>>;
    /// Runs, newest first (by id), after `after`.
    async fn meditations(&mut self, after: Option<MeditationId>, limit: usize) -> Result<Vec<Meditation>>;
    /// The run of trigger schedule, quota or request that is still `scheduled`, if any.
    async fn waiting_meditation(&mut self) -> Result<Option<Meditation>>;
    /// When the last complete run ended.
    async fn last_meditation(&mut self) -> Result<Option<Timestamp>>;
    /// Decisions of a run with a position above `after`, in order.
    async fn decisions(&mut self, id: MeditationId, after: u64, limit: usize) -> Result<Vec<RecordedDecision>>;

    /// Active and archived memories to score with a number above `after`, in order; all, or only new, touched,
    /// never-scored and otherwise changed ones.
    async fn scoring_items(&mut self, full: bool, after: Option<Seq>, limit: usize) -> Result<Vec<ScoringItem>>;
    /// Outcomes by tag, for tags that have any, by tag.
    async fn tag_outcomes(&mut self) -> Result<Vec<TagOutcomes>>;
    /// What retention needs to know of every memory, in order of number. Withheld ones are left out unless their owner
    /// deleted them: nobody could rescue them.
    async fn retention_items(&mut self) -> Result<Vec<RetentionItem>>;
    /// Bytes that a meditation may archive, in the order of `Tier::ALL`: of active memories that neither last nor are
    /// withheld. Counted from the memories themselves, so ask only where a refusal hangs on it.
    async fn movable_bytes(&mut self) -> Result<[u64; 3]>;
    /// Bytes of active memories that last, in the same order. Counted from the memories, too.
    async fn lasting_bytes(&mut self) -> Result<[u64; 3]>;
    /// The number of a session.
    async fn session_number(&mut self, session_id: &str) -> Result<Option<i64>>;
    /// Bytes erased by the system on a day (see `Timestamp::day`), without what owners had deleted.
    async fn pruned_on(&mut self, day: i64) -> Result<u64>;
    /// What the vault remembers about its vectors, as of a day (see `Timestamp::day`).
    async fn embedding_ledger(&mut self, day: i64) -> Result<EmbeddingLedger>;
    /// Everything that has vectors, without its text, in order of subject: memories that are active or archived, not
    /// sensitive and not withheld, and active goals.
    async fn embedding_subjects(&mut self) -> Result<Vec<EligibleSubject>>;
    /// Outbox rows, oldest first.
    async fn outbox(&mut self, limit: usize) -> Result<Vec<OutboxRow>>;
}
