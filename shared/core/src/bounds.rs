//! Every bound on requests, in one place. The protos repeat them in their comments; a test compares the two.

mod attachments;
mod graph;
mod tools;

use crate::time::Span;

pub use attachments::*;
pub use graph::*;
pub use tools::*;

/// Longest user id, in bytes.
pub const MAX_USER_ID_BYTES: usize = 128;
/// Longest request id, in bytes.
pub const MAX_REQUEST_ID_BYTES: usize = 128;
/// Longest session id, in bytes.
pub const MAX_SESSION_ID_BYTES: usize = 128;
/// Longest namespace, in bytes.
pub const MAX_NAMESPACE_BYTES: usize = 64;
/// Most namespaces of a vault, not counting the default one.
pub const MAX_NAMESPACES: usize = 1_000;
/// Most namespaces in a filter.
pub const MAX_FILTER_NAMESPACES: usize = 16;
/// Longest purpose of a consent record, in bytes.
pub const MAX_PURPOSE_BYTES: usize = 128;
/// Longest note of a consent record, in bytes.
pub const MAX_CONSENT_NOTE_BYTES: usize = 512;
/// Most namespaces, tags or sessions in the scope of a consent record.
pub const MAX_CONSENT_SCOPE: usize = 64;
/// Most consent records of a user that are active at a time.
pub const MAX_ACTIVE_CONSENTS: usize = 100;
/// Most consent records of a user in all.
pub const MAX_CONSENTS: usize = 10_000;
/// Most consent records in one import, and most records whose withheld memories a new record may release.
pub const MAX_CONSENT_BATCH: usize = 100;
/// Most goals in one import.
pub const MAX_GOAL_BATCH: usize = 100;
/// Most memories that one transaction erases because their consent was retracted.
pub const MAX_ERASED_AT_ONCE: usize = 1_000;
/// Most memories that one call forgets.
pub const MAX_FORGOTTEN_AT_ONCE: usize = 100;
/// Longest speaker, in bytes.
pub const MAX_SPEAKER_BYTES: usize = 128;
/// Longest subject of a memory, in bytes.
pub const MAX_SUBJECT_BYTES: usize = 256;
/// Longest title of a document, in bytes.
pub const MAX_TITLE_BYTES: usize = 512;
/// Largest original of a document, in bytes.
pub const MAX_DOCUMENT_BYTES: usize = 10 * 1024 * 1024;
/// Largest text of a document that is sent within a request, in bytes.
pub const MAX_DOCUMENT_TEXT_BYTES: usize = 1_000_000;
/// Fewest characters of a passage that is ended at a paragraph.
pub const MIN_PASSAGE_CHARS: usize = 500;
/// Most characters of a passage.
pub const MAX_PASSAGE_CHARS: usize = 1_000;
/// Longest predicate of a fact, in bytes.
pub const MAX_PREDICATE_BYTES: usize = 256;
/// Longest relation of a relationship, in bytes.
pub const MAX_RELATION_BYTES: usize = 64;
/// Longest name of a tool and longest id of its call, in bytes.
pub const MAX_TOOL_BYTES: usize = 128;
/// Longest id of a message of a conversation, in bytes.
pub const MAX_MESSAGE_ID_BYTES: usize = 128;
/// Longest reason shown why a message cannot be read, in bytes.
pub const MAX_UNREADABLE_BYTES: usize = 256;
/// Token budget of a context if the caller gives neither a budget nor a window.
pub const DEFAULT_CONTEXT_TOKENS: usize = 2_000;
/// Approximate number of handed-out sentences that a vault remembers, the latest ones.
pub const MAX_HANDED_OUT: usize = 4_096;
/// Most tokens of a context, and of the model's window that it goes into.
pub const MAX_CONTEXT_TOKENS: usize = 10_000_000;
/// Allowed range for the tokens per byte that a caller states.
pub const TOKENS_PER_BYTE: std::ops::RangeInclusive<f64> = 0.01..=4.0;
/// Longest source reference of a memory, in bytes.
pub const MAX_SOURCE_REF_BYTES: usize = 1_024;
/// Longest name of a record, in bytes.
pub const MAX_NAME_BYTES: usize = 1_024;
/// Names listed by default.
pub const DEFAULT_NAMES: usize = 100;
/// Longest label of a block of core memory, in bytes.
pub const MAX_BLOCK_LABEL_BYTES: usize = 64;
/// Longest description of a block, in bytes.
pub const MAX_BLOCK_DESCRIPTION_BYTES: usize = 512;
/// Largest block, in bytes.
pub const MAX_BLOCK_BYTES: usize = 8 * 1024;
/// Most bytes that all blocks of a namespace may hold together, and the default of the user's setting.
pub const MAX_CORE_BYTES: usize = 32 * 1024;
/// Smallest and largest value of that setting, in bytes.
pub const CORE_BYTES: std::ops::RangeInclusive<u64> = 4 * 1024..=MAX_CORE_BYTES as u64;
/// Most files of the memory tool that one command deletes, renames or lists.
pub const MAX_TOOL_FILES: usize = 1_000;
/// Maximum versions of a record.
pub const MAX_VERSIONS: usize = 20;
/// Most bytes of a record's versions together, not counting the newest version.
pub const MAX_VERSIONS_BYTES: u64 = 256 * 1024;
/// Most endings exported with a record: the newest ones.
pub const MAX_ENDINGS: usize = 100;
/// Longest reason of an edit, in bytes.
pub const MAX_REASON_BYTES: usize = 256;
/// Longest author of a memory, in bytes. Longer than any credential's name.
pub const MAX_AUTHOR_BYTES: usize = 256;
/// Longest text of a detail, in bytes.
pub const MAX_DETAIL_TEXT_BYTES: usize = 4_096;
/// Most entries of a list in a detail.
pub const MAX_DETAIL_ENTRIES: usize = 32;
/// Largest detail, in bytes of JSON text.
pub const MAX_DETAIL_BYTES: usize = 16 * 1024;
/// Highest importance of a memory.
pub const MAX_IMPORTANCE: i32 = 10;
/// Highest priority of a value.
pub const MAX_PRIORITY: i32 = 100;
/// Most confidence changes that a memory remembers.
pub const MAX_CONFIDENCE_HISTORY: usize = 16;
/// Confidence below which a memory is uncertain by default.
pub const UNCERTAIN_BELOW: f64 = 0.5;
/// Newest memories that reviews search for duplicates.
pub const MAX_DUPLICATE_WINDOW: usize = 5_000;
/// Fewest raw records of a session for which a review proposes an episode.
pub const MIN_PROMOTED_RAW: usize = 3;
/// Fewest episodes with the same lesson for which a review proposes a belief.
pub const MIN_PROMOTED_EPISODES: usize = 2;
/// Fewest verifications and sources of a belief for which a review proposes a value.
pub const MIN_PROMOTED_SUPPORTS: u64 = 3;
/// Lowest confidence of such a belief.
pub const PROMOTED_FROM_CONFIDENCE: f64 = 0.8;
/// Fewest days that such a belief has held.
pub const PROMOTED_AFTER_DAYS: i64 = 90;
/// Uncertain memories listed by default.
pub const DEFAULT_UNCERTAIN: usize = 50;
/// Unprocessed memories listed by default.
pub const DEFAULT_UNPROCESSED: usize = 50;
/// Most memories promoted into one at once.
pub const MAX_PROMOTED: usize = 100;
/// Default salience below which memories may be forgotten (N-3).
pub const FORGET_BELOW: f64 = 0.3;
/// Highest value that a caller may give for that salience.
pub const MAX_FORGET_BELOW: f64 = 10.0;
/// Default half-life of salience without access, in days (N-3).
pub const DEFAULT_HALF_LIFE_DAYS: i64 = 30;
/// Longest half-life, in days.
pub const MAX_HALF_LIFE_DAYS: i64 = 3_650;
/// Forgettable memories returned in one answer by default.
pub const DEFAULT_FORGOTTEN: usize = 50;
/// Most turns that a caller may keep verbatim when a session was compacted.
pub const MAX_KEPT_TURNS: usize = 1_000;
/// Most entries of each list of an identity: values, drives, goals and beliefs.
pub const MAX_IDENTITY: usize = 50;
/// Playbooks found by default.
pub const DEFAULT_PLAYBOOKS: usize = 5;
/// Most subjects in a filter.
pub const MAX_FILTER_SUBJECTS: usize = 16;
/// Most authors in a filter.
pub const MAX_FILTER_AUTHORS: usize = 16;
/// Default limit on the length of content, in bytes (K-2.3).
pub const DEFAULT_MAX_CONTENT_BYTES: usize = 64 * 1024;
/// Longest content that any configuration may allow, in bytes (K-2.3).
pub const ABSOLUTE_MAX_CONTENT_BYTES: usize = 1_000_000;
/// Largest attributes of a memory, in bytes of JSON text (K-2.3).
pub const MAX_ATTRIBUTES_BYTES: usize = 16 * 1024;
/// Deepest nesting of a memory's attributes.
pub const MAX_ATTRIBUTES_DEPTH: usize = 32;
/// Most tags of a memory or goal, and most tags in a filter (K-2.3).
pub const MAX_TAGS: usize = 64;
/// Longest tag, in bytes (K-2.3).
pub const MAX_TAG_BYTES: usize = 64;
/// Most channels of a memory.
pub const MAX_CHANNELS: usize = 16;
/// Longest channel, in bytes.
pub const MAX_CHANNEL_BYTES: usize = 64;
/// Longest metadata version, in bytes.
pub const MAX_VERSION_BYTES: usize = 32;
/// Most speakers in a filter.
pub const MAX_FILTER_SPEAKERS: usize = 16;
/// Most memories in one batch.
pub const MAX_BATCH: usize = 1_000;
/// Most messages of one stream of a conversation.
pub const MAX_STREAM_MESSAGES: usize = 100_000;
/// Most content of one batch, in bytes.
pub const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Most memories in one outcome report.
pub const MAX_OUTCOME_IDS: usize = 100;
/// Longest query, in bytes.
pub const MAX_QUERY_BYTES: usize = 8 * 1024;
/// Results of a query by default (K-5.4).
pub const DEFAULT_TOP_K: usize = 10;
/// Most results of a query (K-5.4).
pub const MAX_TOP_K: usize = 100;
/// Items on a page by default.
pub const DEFAULT_PAGE_SIZE: usize = 50;
/// Most items on a page.
pub const MAX_PAGE_SIZE: usize = 1_000;
/// A page ends before it exceeds this many bytes of content and metadata, so that clients with a 4 MB limit can read it.
pub const MAX_PAGE_BYTES: usize = 1024 * 1024;
/// Most active goals of a user.
pub const MAX_ACTIVE_GOALS: usize = 100;
/// Most goals of a user in any status.
pub const MAX_GOALS: usize = 10_000;
/// Longest goal title, in bytes.
pub const MAX_GOAL_TITLE_BYTES: usize = 512;
/// Longest goal description, in bytes.
pub const MAX_GOAL_DESCRIPTION_BYTES: usize = 8 * 1024;
/// Most decisions returned by a dry run.
pub const MAX_PLAN_DECISIONS: usize = 10_000;
/// Most memories that one meditation can be limited to.
pub const MAX_MEDITATE_IDS: usize = 1_000;
/// Most steps that one meditation can be limited to.
pub const MAX_MEDITATE_STEPS: usize = 64;
/// Shortest and longest interval between two runs of a step. The longest is no longer than runs are remembered.
pub const STEP_EVERY: std::ops::RangeInclusive<Span> = Span::hours(1)..=Span::days(90);
/// Shortest and longest grace window.
pub const GRACE: std::ops::RangeInclusive<Span> = Span(0)..=Span::days(3_650);
/// Shortest and longest time between scheduled meditations.
pub const MEDITATION_INTERVAL: std::ops::RangeInclusive<Span> = Span::hours(1)..=Span::days(365);
/// Shortest and longest lifetime of short-term memories.
pub const SHORT_TERM_LIFETIME: std::ops::RangeInclusive<Span> = Span::seconds(60)..=Span::days(365);
/// Smallest and largest quota, in bytes.
pub const QUOTA_BYTES: std::ops::RangeInclusive<u64> = 1024..=1024 * 1024 * 1024 * 1024;
/// Smallest and largest archive allowance, in bytes.
pub const ARCHIVE_BYTES: std::ops::RangeInclusive<u64> = 1024..=3 * 1024 * 1024 * 1024 * 1024;
/// Largest daily prune cap, in bytes.
pub const MAX_PRUNE_CAP_BYTES: u64 = 1024 * 1024 * 1024 * 1024;
/// Largest message of an import, in bytes. It fits the longest content that any configuration may allow and its
/// metadata, so that an item too long for this server is refused alone and the import goes on. Most of the metadata
/// is attributes, which take up to six times their JSON text.
pub const MAX_IMPORT_MESSAGE_BYTES: usize = 2 * ABSOLUTE_MAX_CONTENT_BYTES + 512 * 1024;
/// Smallest and largest cap on a user's vectors (K-6.1).
pub const VECTOR_CAP: std::ops::RangeInclusive<u64> = 1..=1_000_000;
/// Smallest and largest daily or weekly limit of vectors computed for a user; 0 means no limit.
pub const EMBEDDING_LIMIT: std::ops::RangeInclusive<u64> = 0..=1_000_000_000;
/// Most items in one upload of vectors.
pub const MAX_UPLOAD_ITEMS: usize = 256;
/// Most vectors in one upload.
pub const MAX_UPLOAD_VECTORS: usize = 2_048;
/// Longest name of a model including its version, in bytes.
pub const MAX_MODEL_BYTES: usize = 81;
/// An export of texts ends a piece before it exceeds this many bytes of text.
pub const EXPORT_TEXTS_BYTES: usize = 256 * 1024;
/// Longest id of an import, in bytes.
pub const MAX_IMPORT_ID_BYTES: usize = 128;
/// How long an import is remembered after its last item.
pub const IMPORT_RETENTION: Span = Span::days(30);
/// Most imports of a user that are remembered.
pub const MAX_IMPORTS: usize = 1_000;
/// Minimum time that changes of memories are stored for watchers.
pub const CHANGE_RETENTION: Span = Span::days(7);
/// An export ends a piece before it exceeds this many bytes of content and metadata.
pub const EXPORT_PIECE_BYTES: usize = 256 * 1024;
/// Highest count and revision of an imported record. Kimberly's own counts stay far below, and there is room above for
/// later increments.
pub const MAX_RECORD_COUNT: u64 = 1 << 40;
/// Largest absolute value of an input in an imported record's score: above any sum of counts.
pub const MAX_RECORD_INPUT: f64 = 1e18;
/// Allowed clock difference between two machines: imported times may lie this far in the future.
pub const CLOCK_SKEW: Span = Span::days(1);
/// Most user patterns in one credential's grant.
pub const MAX_USER_PATTERNS: usize = 64;
/// Most namespaces in one credential's grant.
pub const MAX_GRANT_NAMESPACES: usize = 64;
/// Longest name of a credential, in bytes.
pub const MAX_CREDENTIAL_NAME_BYTES: usize = 64;
/// Longest name in a client certificate, in bytes.
pub const MAX_CERTIFICATE_NAME_BYTES: usize = 255;
/// Longest text of a checkpoint of an audit, in bytes.
pub const MAX_CHECKPOINT_BYTES: usize = 4_096;
/// Most credentials that are not revoked.
pub const MAX_CREDENTIALS: usize = 10_000;
/// Shortest and longest lifetime of a key.
pub const KEY_LIFETIME: std::ops::RangeInclusive<Span> = Span::seconds(1)..=Span::days(3_650);
/// Longest time for which a replaced secret is still accepted.
pub const MAX_KEY_OVERLAP: Span = Span::days(7);
/// Longest actor, action or subject in an audit query, in bytes.
pub const MAX_AUDIT_NAME_BYTES: usize = 256;
/// Most entries in one piece of an audit export.
pub const AUDIT_PIECE_ENTRIES: usize = 1_000;
/// Longest key of working memory, in bytes.
pub const MAX_WORKING_KEY_BYTES: usize = 512;
/// Longest text of working memory, in bytes.
pub const MAX_WORKING_ENTRY_BYTES: usize = 64 * 1024;
/// Most operations of one batch on working memory.
pub const MAX_WORKING_BATCH: usize = 100;
/// Keys of working memory listed by default.
pub const DEFAULT_WORKING_KEYS: usize = 100;
/// Shortest lifetime of an entry of working memory.
pub const MIN_WORKING_LIFETIME: Span = Span::seconds(1);
/// Longest lifetime of an entry of working memory.
pub const MAX_WORKING_LIFETIME: Span = Span::days(7);
/// Default lifetime of an entry of working memory.
pub const DEFAULT_WORKING_LIFETIME: Span = Span::hours(1);
/// Default limit on the keys and texts of one session's working memory, in bytes.
pub const DEFAULT_WORKING_STORE_BYTES: usize = 1024 * 1024;
/// Most candidates extracted from one message.
pub const MAX_EXTRACTED: usize = 32;
/// Longest content of an extracted candidate, in bytes.
pub const MAX_EXTRACTED_BYTES: usize = 1_000;
/// Longest source context of an extracted candidate, in bytes.
pub const MAX_SOURCE_CONTEXT_BYTES: usize = 600;
