//! The contract's comments repeat every bound of the domain with the same number.

use std::collections::BTreeSet;

use kimberly_core::bounds as b;
use kimberly_core::memory::Tier;
use kimberly_core::time::Span;

use super::{assert_none, root};

const NOWHERE: &str = "the domain only";
const MEMORY: &str = "memory.proto";
const SERVICE: &str = "memory_service.proto";
const STREAMS: &str = "memory_streams.proto";
const GOALS: &str = "goal_service.proto";
const MEDITATION: &str = "meditation_service.proto";
const SETTINGS: &str = "settings_service.proto";
const ACCESS: &str = "access_service.proto";
const CONSENTS: &str = "consent_service.proto";
const EMBEDDING: &str = "embedding_service.proto";
const AUDIT: &str = "audit_service.proto";
const ATTACHMENTS: &str = "attachment_service.proto";
const DETAIL: &str = "detail.proto";
const GRAPH: &str = "graph_service.proto";
const DOCUMENTS: &str = "document_service.proto";
const REVIEWS: &str = "review_service.proto";
const LINKS: &str = "link_service.proto";
const RECORDS: &str = "record_service.proto";
const CONVERSATIONS: &str = "conversation_service.proto";
const WORKING: &str = "working_memory_service.proto";
const NAMED: &str = "named_record_service.proto";
const CORE: &str = "core_memory_service.proto";
const TOOL: &str = "memory_tool_service.proto";

/// Bounds of calls on records.
fn repeated_of_record_calls() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    let below = b::UNCERTAIN_BELOW;
    vec![
        ("UNCERTAIN_BELOW", RECORDS, format!("above 0 and at most 1; {below} if unset")),
        ("DEFAULT_UNCERTAIN", RECORDS, says("1 to 1,000; {} if 0", b::DEFAULT_UNCERTAIN)),
        ("DEFAULT_UNPROCESSED", RECORDS, says("1 to 1,000; {} if 0", b::DEFAULT_UNPROCESSED)),
        ("FORGET_BELOW", RECORDS, format!("{} if unset", b::FORGET_BELOW)),
        ("MAX_FORGET_BELOW", RECORDS, format!("above 0 and at most {};", b::MAX_FORGET_BELOW)),
        ("DEFAULT_HALF_LIFE_DAYS", RECORDS, format!("1 to 3,650; {} if 0", b::DEFAULT_HALF_LIFE_DAYS)),
        (
            "MAX_HALF_LIFE_DAYS",
            RECORDS,
            format!("falls to half, 1 to {};", grouped(usize::try_from(b::MAX_HALF_LIFE_DAYS).unwrap_or_default())),
        ),
        ("DEFAULT_FORGOTTEN", RECORDS, says("1 to 1,000; {} if 0", b::DEFAULT_FORGOTTEN)),
        ("MAX_COPIES", SERVICE, says("were deleted with it, at most {}:", b::MAX_COPIES)),
        ("MAX_COPIES", SERVICE, says("memories that say more, at most {}:", b::MAX_COPIES)),
        ("MAX_STILL_MENTIONS", SERVICE, says("name the same and stay, at most {},", b::MAX_STILL_MENTIONS)),
        ("MAX_CASCADE", SERVICE, says("At most {} others are derived from them", b::MAX_CASCADE)),
        ("MAX_PROMOTED", RECORDS, says("made from, 1-{}", b::MAX_PROMOTED)),
        ("MAX_IDENTITY", RECORDS, says("at most {} of each", b::MAX_IDENTITY)),
        ("MAX_NAMESPACE_BYTES", RECORDS, says("Of this namespace, at most {} bytes", b::MAX_NAMESPACE_BYTES)),
        ("MAX_PAGE_SIZE", RECORDS, says("1 to {}; 50 if 0", b::MAX_PAGE_SIZE)),
        ("DEFAULT_PLAYBOOKS", RECORDS, says("1 to 100; {} if 0", b::DEFAULT_PLAYBOOKS)),
        ("MAX_TOP_K", RECORDS, says("1 to {}; 5 if 0", b::MAX_TOP_K)),
        ("MAX_QUERY_BYTES", RECORDS, format!("in words; at most {}", units(b::MAX_QUERY_BYTES as u64))),
        ("MAX_USER_ID_BYTES", RECORDS, says("`user_id` is required: 1-{} bytes", b::MAX_USER_ID_BYTES)),
        ("MAX_REQUEST_ID_BYTES", RECORDS, says("is optional, at most {} bytes", b::MAX_REQUEST_ID_BYTES)),
    ]
}

/// Bounds of conversations.
fn repeated_of_conversations() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    let (least, most) = (b::TOKENS_PER_BYTE.start(), b::TOKENS_PER_BYTE.end());
    vec![
        ("MAX_BATCH", CONVERSATIONS, says("from the oldest on, 1-{}.", b::MAX_BATCH)),
        ("MAX_BATCH_BYTES", CONVERSATIONS, format!("or {} of them", units(b::MAX_BATCH_BYTES as u64))),
        ("MAX_STREAM_MESSAGES", CONVERSATIONS, says("at most {} in a stream", b::MAX_STREAM_MESSAGES)),
        ("MAX_SESSION_ID_BYTES", CONVERSATIONS, says("that they belong to, 1-{} bytes", b::MAX_SESSION_ID_BYTES)),
        ("MAX_NAMESPACE_BYTES", CONVERSATIONS, says("kept in, at most {} bytes", b::MAX_NAMESPACE_BYTES)),
        ("MAX_UNREADABLE_BYTES", CONVERSATIONS, says("at most {} bytes of the reason", b::MAX_UNREADABLE_BYTES)),
        ("MAX_MESSAGE_ID_BYTES", CONVERSATIONS, says("id of it, at most {} bytes", b::MAX_MESSAGE_ID_BYTES)),
        ("MAX_SPEAKER_BYTES", CONVERSATIONS, says("name of who spoke, at most {} bytes", b::MAX_SPEAKER_BYTES)),
        ("MAX_TOOL_BYTES", CONVERSATIONS, says("called or answered, at most {} bytes", b::MAX_TOOL_BYTES)),
        ("MAX_ATTRIBUTES_BYTES", CONVERSATIONS, format!("at most {} as JSON", units(b::MAX_ATTRIBUTES_BYTES as u64))),
        ("MAX_QUERY_BYTES", CONVERSATIONS, format!("answered, at most {}", units(b::MAX_QUERY_BYTES as u64))),
        ("DEFAULT_CONTEXT_TOKENS", CONVERSATIONS, says("{} if 0, or a tenth", b::DEFAULT_CONTEXT_TOKENS)),
        ("MAX_HANDED_OUT", NOWHERE, String::new()),
        ("MAX_EXTRACTED", NOWHERE, String::new()),
        ("MAX_EXTRACTED_BYTES", NOWHERE, String::new()),
        ("MAX_SOURCE_CONTEXT_BYTES", NOWHERE, String::new()),
        ("MAX_KEPT_TURNS", CONVERSATIONS, says("stay as they are, 0 to {};", b::MAX_KEPT_TURNS)),
        ("MAX_CONTEXT_TOKENS", CONVERSATIONS, says("so many tokens, 1-{};", b::MAX_CONTEXT_TOKENS)),
        ("TOKENS_PER_BYTE", CONVERSATIONS, format!("for the model, from {least} to {most}.")),
        ("MAX_USER_ID_BYTES", CONVERSATIONS, says("`user_id` is required: 1-{} bytes", b::MAX_USER_ID_BYTES)),
        ("MAX_REQUEST_ID_BYTES", CONVERSATIONS, says("is optional, at most {} bytes", b::MAX_REQUEST_ID_BYTES)),
    ]
}

/// Bounds of working memory.
fn repeated_of_working() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    let of = |bytes: usize| units(bytes as u64);
    vec![
        ("MAX_WORKING_KEY_BYTES", WORKING, says("Keys have 1-{} bytes", b::MAX_WORKING_KEY_BYTES)),
        ("MAX_WORKING_ENTRY_BYTES", WORKING, format!("texts of at most {}", of(b::MAX_WORKING_ENTRY_BYTES))),
        ("MAX_WORKING_BATCH", WORKING, says("The operations, 1-{}.", b::MAX_WORKING_BATCH)),
        ("DEFAULT_WORKING_KEYS", WORKING, says("1 to 1,000; {} if 0", b::DEFAULT_WORKING_KEYS)),
        ("MAX_PAGE_SIZE", WORKING, says("1 to {}; 100 if 0", b::MAX_PAGE_SIZE)),
        ("MIN_WORKING_LIFETIME", WORKING, "1 s to 7 d".to_owned()),
        ("MAX_WORKING_LIFETIME", WORKING, "1 s to 7 d".to_owned()),
        ("DEFAULT_WORKING_LIFETIME", WORKING, "1 h if unset".to_owned()),
        ("DEFAULT_WORKING_STORE_BYTES", WORKING, format!("at most {} together", of(b::DEFAULT_WORKING_STORE_BYTES))),
        ("MAX_SESSION_ID_BYTES", WORKING, says("`session_id` (at most {} bytes)", b::MAX_SESSION_ID_BYTES)),
        ("MAX_NAMESPACE_BYTES", WORKING, says("`namespace` (at most {} bytes)", b::MAX_NAMESPACE_BYTES)),
    ]
}

/// Bounds of keys.
fn repeated_of_keys() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    vec![
        ("MAX_USER_PATTERNS", ACCESS, says("1-{} patterns of 1-128 bytes", b::MAX_USER_PATTERNS)),
        ("MAX_GRANT_NAMESPACES", ACCESS, says("these namespaces, at most {} of 0-64 bytes", b::MAX_GRANT_NAMESPACES)),
        ("MAX_CREDENTIAL_NAME_BYTES", ACCESS, says("1-{} of the characters", b::MAX_CREDENTIAL_NAME_BYTES)),
        ("MAX_CERTIFICATE_NAME_BYTES", ACCESS, says("DNS name; 1-{} printable", b::MAX_CERTIFICATE_NAME_BYTES)),
        ("MAX_CHECKPOINT_BYTES", NOWHERE, String::new()),
        ("MAX_CREDENTIALS", NOWHERE, String::new()),
        ("KEY_LIFETIME", ACCESS, format!("from a second to {}", span(*b::KEY_LIFETIME.end()))),
        ("MAX_KEY_OVERLAP", ACCESS, format!("the old secret is taken: 0 to {}", span(b::MAX_KEY_OVERLAP))),
        ("MAX_PAGE_SIZE", ACCESS, says("At most this many, 1-{}", b::MAX_PAGE_SIZE)),
    ]
}

/// Bounds of kinds, details and belief.
fn repeated_of_records() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    let upto = |words: &str, number: i32| words.replace("{}", &number.to_string());
    let detail = units(b::MAX_DETAIL_BYTES as u64);
    vec![
        ("MAX_SUBJECT_BYTES", MEMORY, says("such as \"Ana\"; at most {} bytes. If empty", b::MAX_SUBJECT_BYTES)),
        ("MAX_SUBJECT_BYTES", DETAIL, says("such as \"Ana\"; at most {} bytes", b::MAX_SUBJECT_BYTES)),
        ("MAX_PREDICATE_BYTES", DETAIL, says("such as \"lives in\"; at most {} bytes", b::MAX_PREDICATE_BYTES)),
        ("MAX_RELATION_BYTES", DETAIL, says("such as \"colleague\"; at most {} bytes", b::MAX_RELATION_BYTES)),
        ("MAX_TOOL_BYTES", DETAIL, says("called or answered; at most {} bytes", b::MAX_TOOL_BYTES)),
        ("MAX_SOURCE_REF_BYTES", MEMORY, says("an address or an id; at most {} bytes", b::MAX_SOURCE_REF_BYTES)),
        ("MAX_NAME_BYTES", MEMORY, says("notes/travel.md\": at most {} bytes", b::MAX_NAME_BYTES)),
        ("MAX_NAME_BYTES", NAMED, says("The name, 1-{} bytes", b::MAX_NAME_BYTES)),
        ("MAX_VERSIONS", NAMED, says("the newest {} are kept", b::MAX_VERSIONS)),
        ("MAX_VERSIONS_BYTES", NAMED, format!("together at most {}", units(b::MAX_VERSIONS_BYTES))),
        ("MAX_REASON_BYTES", NAMED, says("who read the versions; at most {} bytes", b::MAX_REASON_BYTES)),
        ("MAX_BLOCK_LABEL_BYTES", CORE, says("Labels are 1-{} of the characters", b::MAX_BLOCK_LABEL_BYTES)),
        ("MAX_BLOCK_DESCRIPTION_BYTES", CORE, says("What it is for, at most {} bytes", b::MAX_BLOCK_DESCRIPTION_BYTES)),
        ("MAX_BLOCK_BYTES", CORE, format!("A block holds at most {}", units(b::MAX_BLOCK_BYTES as u64))),
        ("MAX_CORE_BYTES", CORE, format!("allow, {} unless they say less", units(b::MAX_CORE_BYTES as u64))),
        ("CORE_BYTES", SETTINGS, range("may hold in all, {}", &b::CORE_BYTES)),
        ("MAX_TOOL_FILES", TOOL, says("or renamed has at most {} files", b::MAX_TOOL_FILES)),
        ("DEFAULT_NAMES", NAMED, says("1 to 1,000; {} if 0", b::DEFAULT_NAMES)),
        ("MAX_AUTHOR_BYTES", NOWHERE, String::new()),
        ("MAX_DETAIL_TEXT_BYTES", DETAIL, says("Texts are 1-{} bytes", b::MAX_DETAIL_TEXT_BYTES)),
        ("MAX_DETAIL_ENTRIES", DETAIL, says("lists hold at most {},", b::MAX_DETAIL_ENTRIES)),
        ("MAX_DETAIL_BYTES", DETAIL, format!("all of it has at most {detail} as JSON")),
        ("MAX_IMPORTANCE", MEMORY, upto("from 1 to {}; 0 for not said", b::MAX_IMPORTANCE)),
        ("MAX_IMPORTANCE", MEMORY, upto("this importance, from 1 to {}; 0 means all", b::MAX_IMPORTANCE)),
        ("MAX_PRIORITY", DETAIL, upto("against others, from 0 to {}.", b::MAX_PRIORITY)),
        ("MAX_CONFIDENCE_HISTORY", MEMORY, says("the newest {} changes", b::MAX_CONFIDENCE_HISTORY)),
        (
            "MAX_FILTER_SUBJECTS",
            MEMORY,
            says(
                "these subjects, compared without regard to case; empty means all. At most {}.",
                b::MAX_FILTER_SUBJECTS,
            ),
        ),
        ("MAX_FILTER_AUTHORS", MEMORY, says("by their names; empty means all. At most {}.", b::MAX_FILTER_AUTHORS)),
    ]
}

/// Bounds of links.
fn repeated_of_links() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    vec![
        ("MAX_LINKS_PER_MEMORY", LINKS, says("A memory has at most {} links", b::MAX_LINKS_PER_MEMORY)),
        ("MAX_LINK_EVIDENCE_BYTES", LINKS, says("A quote or a reason; at most {} bytes", b::MAX_LINK_EVIDENCE_BYTES)),
        ("MAX_LINK_BATCH", LINKS, says("The links, 1-{}, each", b::MAX_LINK_BATCH)),
        ("MAX_LINEAGE", LINKS, says("At most this many links, 1 to {};", b::MAX_LINEAGE)),
        ("MAX_LINK_EVIDENCE_BYTES", RECORDS, says("Why; at most {} bytes", b::MAX_LINK_EVIDENCE_BYTES)),
        ("MAX_HISTORY", RECORDS, says("the newest {} events", b::MAX_HISTORY)),
        ("MAX_PAGE_SIZE", LINKS, says("At most this many, 1 to {}; 50 if 0", b::MAX_PAGE_SIZE)),
    ]
}

/// Bounds of entities.
fn repeated_of_graphs() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    vec![
        ("MAX_ENTITY_NAME_BYTES", GRAPH, says("without regard to case; at most {} bytes", b::MAX_ENTITY_NAME_BYTES)),
        ("MAX_ENTITY_ALIASES", GRAPH, says("the most frequent first; at most {}.", b::MAX_ENTITY_ALIASES)),
        ("MAX_FILTER_NAMESPACES", GRAPH, says("an empty list means all. At most {}.", b::MAX_FILTER_NAMESPACES)),
        ("MAX_ENTITY_NAME_BYTES", GRAPH, says("What it is called, 1-{} bytes", b::MAX_ENTITY_NAME_BYTES)),
        (
            "MAX_ENTITY_EDGES",
            GRAPH,
            says("What it is to others, the strongest first; at most {}.", b::MAX_ENTITY_EDGES),
        ),
        ("MAX_EDGE_EVIDENCE", GRAPH, says("say so, the newest first; at most {}.", b::MAX_EDGE_EVIDENCE)),
        ("MAX_NEIGHBOURS", GRAPH, says("At most this many entities, 1 to {}; 50 if 0", b::MAX_NEIGHBOURS)),
        ("DEFAULT_NEIGHBOURS", GRAPH, says("1 to 200; {} if 0", b::DEFAULT_NEIGHBOURS)),
        ("MAX_GRAPH_DEPTH", GRAPH, says("At most so many edges away, 1 to {}; 1 if 0", b::MAX_GRAPH_DEPTH)),
        ("MAX_SUBGRAPH_EDGES", GRAPH, says("between them, the strongest first; at most {}.", b::MAX_SUBGRAPH_EDGES)),
        ("MAX_PAGE_SIZE", GRAPH, says("At most this many mentions, 1 to {}; 50 if 0", b::MAX_PAGE_SIZE)),
    ]
}

/// Bounds of reviews.
fn repeated_of_reviews() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    vec![
        ("MAX_DUPLICATE_WINDOW", REVIEWS, says("Two of the newest {} memories", b::MAX_DUPLICATE_WINDOW)),
        ("UNCERTAIN_BELOW", REVIEWS, format!("The confidence of a memory is below {}.", b::UNCERTAIN_BELOW)),
        ("MAX_PAGE_SIZE", REVIEWS, says("At most this many, 1 to {}; 50 if 0", b::MAX_PAGE_SIZE)),
        ("MAX_DUPLICATE_WINDOW", REVIEWS, says("among the newest {} raw records", b::MAX_DUPLICATE_WINDOW)),
        ("MIN_PROMOTED_RAW", REVIEWS, says("{} raw records or more of one session", b::MIN_PROMOTED_RAW)),
        ("MIN_PROMOTED_EPISODES", REVIEWS, says("{} episodes or more with a lesson", b::MIN_PROMOTED_EPISODES)),
        ("MIN_PROMOTED_SUPPORTS", REVIEWS, format!("at least {} verifications and sources", b::MIN_PROMOTED_SUPPORTS)),
        ("PROMOTED_FROM_CONFIDENCE", REVIEWS, format!("a confidence of {} or more", b::PROMOTED_FROM_CONFIDENCE)),
        ("PROMOTED_AFTER_DAYS", REVIEWS, format!("has held for {} days", b::PROMOTED_AFTER_DAYS)),
        ("MAX_PROMOTED", REVIEWS, says("One item is about {} memories", b::MAX_PROMOTED)),
    ]
}

/// Bounds of documents.
fn repeated_of_documents() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    vec![
        ("MAX_DOCUMENT_TEXT_BYTES", DOCUMENTS, says("The text itself, 1-{} bytes", b::MAX_DOCUMENT_TEXT_BYTES)),
        ("MAX_DOCUMENT_BYTES", DOCUMENTS, says("An attachment of at most {} bytes", b::MAX_DOCUMENT_BYTES)),
        ("MAX_TITLE_BYTES", DOCUMENTS, says("What it is called, at most {} bytes", b::MAX_TITLE_BYTES)),
        ("MAX_TITLE_BYTES", DETAIL, says("What it is called, 1-{} bytes", b::MAX_TITLE_BYTES)),
        ("MIN_PASSAGE_CHARS", DOCUMENTS, says("A passage of a document: {} to", b::MIN_PASSAGE_CHARS)),
        ("MAX_PASSAGE_CHARS", DOCUMENTS, says("to {} characters that end", b::MAX_PASSAGE_CHARS)),
        ("MAX_PAGE_SIZE", DOCUMENTS, says("At most this many, 1 to {}; 50 if 0", b::MAX_PAGE_SIZE)),
    ]
}

/// Bounds of attachments.
fn repeated_of_attachments() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    let piece = units(b::MAX_ATTACHMENT_PIECE_BYTES as u64);
    vec![
        ("MAX_ATTACHMENTS_PER_MEMORY", ATTACHMENTS, says("At most {} hang on one", b::MAX_ATTACHMENTS_PER_MEMORY)),
        (
            "MAX_MEMORIES_PER_ATTACHMENT",
            ATTACHMENTS,
            says("as it was exported, at most {} memories", b::MAX_MEMORIES_PER_ATTACHMENT),
        ),
        ("MAX_ATTACHMENTS", ATTACHMENTS, says("has at most {} of them", b::MAX_ATTACHMENTS)),
        ("MAX_ATTACHMENT_NAME_BYTES", ATTACHMENTS, says("is called, at most {} bytes", b::MAX_ATTACHMENT_NAME_BYTES)),
        ("MAX_MEDIA_TYPE_BYTES", ATTACHMENTS, says("it is, at most {} bytes", b::MAX_MEDIA_TYPE_BYTES)),
        ("MAX_ATTACHMENT_PIECE_BYTES", ATTACHMENTS, format!("The next bytes: at most {piece}")),
        ("ABSOLUTE_MAX_ATTACHMENT_BYTES", NOWHERE, String::new()),
    ]
}

/// Bounds of consents, namespaces and batches.
fn repeated_of_consents() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    vec![
        ("MAX_FORGOTTEN_AT_ONCE", SERVICE, says("The memories' ids, 1-{}", b::MAX_FORGOTTEN_AT_ONCE)),
        (
            "MAX_NAMESPACE_BYTES",
            MEMORY,
            says("such as an application's name: at most {} bytes", b::MAX_NAMESPACE_BYTES),
        ),
        ("MAX_NAMESPACES", MEMORY, says("has at most {} of them", b::MAX_NAMESPACES)),
        ("MAX_FILTER_NAMESPACES", MEMORY, says("an empty list means all. At most {}.", b::MAX_FILTER_NAMESPACES)),
        ("MAX_USER_ID_BYTES", CONSENTS, says("1-{} bytes", b::MAX_USER_ID_BYTES)),
        ("MAX_PURPOSE_BYTES", CONSENTS, says("What for, 1-{} bytes", b::MAX_PURPOSE_BYTES)),
        ("MAX_CONSENT_NOTE_BYTES", CONSENTS, says("the signed form lies; at most {} bytes", b::MAX_CONSENT_NOTE_BYTES)),
        (
            "MAX_CONSENT_SCOPE",
            CONSENTS,
            says("With at least one of these tags. At most {}, each", b::MAX_CONSENT_SCOPE),
        ),
        ("MAX_ACTIVE_CONSENTS", CONSENTS, says("At most {} records are active", b::MAX_ACTIVE_CONSENTS)),
        ("MAX_CONSENTS", NOWHERE, String::new()),
        ("MAX_GOALS", NOWHERE, String::new()),
        ("MAX_GOAL_BATCH", GOALS, says("The goals, 1-{}, each", b::MAX_GOAL_BATCH)),
        ("MAX_CONSENT_BATCH", CONSENTS, says("The records, 1-{}, each", b::MAX_CONSENT_BATCH)),
        ("MAX_ERASED_AT_ONCE", CONSENTS, says("erases at most {}.", b::MAX_ERASED_AT_ONCE)),
        ("MAX_PAGE_SIZE", CONSENTS, says("At most this many, 1-{}", b::MAX_PAGE_SIZE)),
    ]
}

/// Bounds of meditations.
fn repeated_of_meditations() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    vec![
        ("MAX_MEDITATE_STEPS", MEDITATION, says("The only steps that take part, at most {}:", b::MAX_MEDITATE_STEPS)),
        ("MAX_MEDITATE_IDS", MEDITATION, says("scored and changed, at most {} ids", b::MAX_MEDITATE_IDS)),
        ("STEP_EVERY", NOWHERE, String::new()),
    ]
}

/// Per bound: its name, the proto that repeats it, and the words with `{}` for the number.
fn repeated() -> Vec<Repeated> {
    let says = |words: &str, number: usize| words.replace("{}", &grouped(number));
    let bytes = |words: &str, number: usize| words.replace("{}", &units(number as u64));
    vec![
        ("MAX_USER_ID_BYTES", SERVICE, says("`user_id` is required: 1-{} bytes", b::MAX_USER_ID_BYTES)),
        ("MAX_USER_ID_BYTES", GOALS, says("1-{} bytes", b::MAX_USER_ID_BYTES)),
        ("MAX_USER_ID_BYTES", MEDITATION, says("1-{} bytes", b::MAX_USER_ID_BYTES)),
        ("MAX_USER_ID_BYTES", SETTINGS, says("1-{} bytes", b::MAX_USER_ID_BYTES)),
        ("MAX_REQUEST_ID_BYTES", SERVICE, says("`request_id` is optional, at most {} bytes", b::MAX_REQUEST_ID_BYTES)),
        ("MAX_REQUEST_ID_BYTES", MEDITATION, says("idempotent; at most {} bytes", b::MAX_REQUEST_ID_BYTES)),
        ("MAX_SESSION_ID_BYTES", MEMORY, says("The session it belongs to, at most {} bytes", b::MAX_SESSION_ID_BYTES)),
        ("MAX_SESSION_ID_BYTES", SERVICE, says("The session, 1-{} bytes", b::MAX_SESSION_ID_BYTES)),
        ("MAX_SPEAKER_BYTES", MEMORY, says("a participant's name; at most {} bytes", b::MAX_SPEAKER_BYTES)),
        ("DEFAULT_MAX_CONTENT_BYTES", MEMORY, bytes("1 byte to {} by default", b::DEFAULT_MAX_CONTENT_BYTES)),
        ("ABSOLUTE_MAX_CONTENT_BYTES", MEMORY, says("never above {} bytes", b::ABSOLUTE_MAX_CONTENT_BYTES)),
        ("MAX_ATTRIBUTES_BYTES", MEMORY, bytes("at most {} as JSON text", b::MAX_ATTRIBUTES_BYTES)),
        ("MAX_TAGS", MEMORY, says("At most {} tags", b::MAX_TAGS)),
        ("MAX_TAGS", GOALS, says("At most {}, each", b::MAX_TAGS)),
        ("MAX_TAG_BYTES", MEMORY, says("tags, each 1-{} bytes", b::MAX_TAG_BYTES)),
        ("MAX_TAG_BYTES", GOALS, says("each 1-{} bytes", b::MAX_TAG_BYTES)),
        ("MAX_CHANNELS", MEMORY, says("At most {}, each", b::MAX_CHANNELS)),
        ("MAX_CHANNEL_BYTES", MEMORY, says("At most 16, each 1-{} bytes", b::MAX_CHANNEL_BYTES)),
        ("MAX_VERSION_BYTES", MEMORY, says("at most {} bytes; \"v1\" if empty", b::MAX_VERSION_BYTES)),
        ("MAX_FILTER_SPEAKERS", MEMORY, says("empty means all. At most {}.", b::MAX_FILTER_SPEAKERS)),
        ("MAX_BATCH", SERVICE, says("1-{} drafts", b::MAX_BATCH)),
        ("MAX_BATCH_BYTES", SERVICE, bytes("at most {} in all", b::MAX_BATCH_BYTES)),
        ("MAX_OUTCOME_IDS", SERVICE, says("1-{} ids", b::MAX_OUTCOME_IDS)),
        ("MAX_QUERY_BYTES", SERVICE, bytes("1 byte to {}", b::MAX_QUERY_BYTES)),
        ("DEFAULT_TOP_K", SERVICE, says("0 means {}.", b::DEFAULT_TOP_K)),
        ("MAX_TOP_K", SERVICE, says("1-{}; 0 means 10", b::MAX_TOP_K)),
        ("DEFAULT_PAGE_SIZE", SERVICE, says("0 means {}.", b::DEFAULT_PAGE_SIZE)),
        ("DEFAULT_PAGE_SIZE", GOALS, says("0 means {}.", b::DEFAULT_PAGE_SIZE)),
        ("MAX_PAGE_SIZE", SERVICE, says("At most this many, 1-{}", b::MAX_PAGE_SIZE)),
        ("MAX_PAGE_SIZE", GOALS, says("At most this many, 1-{}", b::MAX_PAGE_SIZE)),
        ("MAX_PAGE_SIZE", MEDITATION, says("At most this many, 1-{}", b::MAX_PAGE_SIZE)),
        ("MAX_PAGE_BYTES", SERVICE, bytes("at most about {}", b::MAX_PAGE_BYTES)),
        ("MAX_ACTIVE_GOALS", GOALS, says("at most {} active ones", b::MAX_ACTIVE_GOALS)),
        ("MAX_ATTRIBUTES_DEPTH", NOWHERE, String::new()),
        ("MAX_GOAL_TITLE_BYTES", GOALS, says("In a few words, 1-{} bytes", b::MAX_GOAL_TITLE_BYTES)),
        ("MAX_GOAL_DESCRIPTION_BYTES", GOALS, bytes("In more words, at most {}", b::MAX_GOAL_DESCRIPTION_BYTES)),
        ("MAX_PLAN_DECISIONS", MEDITATION, says("at most {} of them", b::MAX_PLAN_DECISIONS)),
        ("QUOTA_BYTES", SETTINGS, range("Quota of short_term in bytes, {}", &b::QUOTA_BYTES)),
        ("ARCHIVE_BYTES", SETTINGS, range("Allowance of the archive in bytes, {}", &b::ARCHIVE_BYTES)),
        ("GRACE", SETTINGS, spans("can be rescued: {}", &b::GRACE)),
        ("MEDITATION_INTERVAL", SETTINGS, spans("scheduled meditations: {}", &b::MEDITATION_INTERVAL)),
        ("SHORT_TERM_LIFETIME", SETTINGS, spans("memory lives: {}", &b::SHORT_TERM_LIFETIME)),
        ("MAX_IMPORT_ID_BYTES", STREAMS, says("Names the import, 1-{} bytes", b::MAX_IMPORT_ID_BYTES)),
        ("MAX_ENDINGS", STREAMS, says("the newest first; at most {}.", b::MAX_ENDINGS)),
        ("MAX_IMPORT_MESSAGE_BYTES", STREAMS, says("At most {} bytes, which holds", b::MAX_IMPORT_MESSAGE_BYTES)),
        ("MAX_IMPORTS", STREAMS, says("unless the user has begun {} others since", b::MAX_IMPORTS)),
        ("IMPORT_RETENTION", STREAMS, format!("import for {} after its last item", span(b::IMPORT_RETENTION))),
        ("CHANGE_RETENTION", SERVICE, format!("Changes are kept for {} at least", span(b::CHANGE_RETENTION))),
        ("EXPORT_PIECE_BYTES", STREAMS, bytes("at most about {} unless", b::EXPORT_PIECE_BYTES)),
        ("CLOCK_SKEW", STREAMS, format!("ahead of the server's clock by more than {}", span(b::CLOCK_SKEW))),
        ("MAX_RECORD_COUNT", STREAMS, says("etag are at most {}, and", count(b::MAX_RECORD_COUNT))),
        ("MAX_RECORD_INPUT", NOWHERE, String::new()),
        ("MAX_USER_ID_BYTES", EMBEDDING, says("`user_id` is required: 1-{} bytes", b::MAX_USER_ID_BYTES)),
        ("MAX_REQUEST_ID_BYTES", EMBEDDING, says("idempotent; at most {} bytes", b::MAX_REQUEST_ID_BYTES)),
        ("VECTOR_CAP", SETTINGS, numbers("Most vectors that may be needed, {}", &b::VECTOR_CAP)),
        ("EMBEDDING_LIMIT", SETTINGS, numbers("Vectors computed per day, {}", &b::EMBEDDING_LIMIT)),
        ("EMBEDDING_LIMIT", SETTINGS, numbers("Vectors computed per week from Monday, {}", &b::EMBEDDING_LIMIT)),
        ("MAX_UPLOAD_ITEMS", EMBEDDING, says("1-{} items", b::MAX_UPLOAD_ITEMS)),
        ("MAX_UPLOAD_VECTORS", EMBEDDING, says("at most {} vectors in all", b::MAX_UPLOAD_VECTORS)),
        ("MAX_MODEL_BYTES", EMBEDDING, says("at most {} bytes. It must", b::MAX_MODEL_BYTES)),
        ("EXPORT_TEXTS_BYTES", EMBEDDING, bytes("at most about {} unless", b::EXPORT_TEXTS_BYTES)),
        ("MAX_AUDIT_NAME_BYTES", AUDIT, says("Only those of this actor, at most {} bytes", b::MAX_AUDIT_NAME_BYTES)),
        ("AUDIT_PIECE_ENTRIES", AUDIT, says("in order of their number, at most {}", b::AUDIT_PIECE_ENTRIES)),
        ("MAX_PRUNE_CAP_BYTES", SETTINGS, format!("by the system, 0 to {}", units(b::MAX_PRUNE_CAP_BYTES))),
    ]
}

fn numbers(words: &str, bound: &std::ops::RangeInclusive<u64>) -> String {
    words.replace("{}", &format!("{} to {}", grouped(count(*bound.start())), grouped(count(*bound.end()))))
}

fn range(words: &str, bound: &std::ops::RangeInclusive<u64>) -> String {
    words.replace("{}", &format!("{} to {}", units(*bound.start()), units(*bound.end())))
}

fn spans(words: &str, bound: &std::ops::RangeInclusive<Span>) -> String {
    words.replace("{}", &format!("{} to {}", span(*bound.start()), span(*bound.end())))
}

/// A span in the largest unit that divides it.
fn span(span: Span) -> String {
    let units = [(Span::days(1), "day"), (Span::hours(1), "hour"), (Span::seconds(60), "minute")];
    let count = |unit: Span| usize::try_from(span.0 / unit.0).expect("bounds are not negative");
    for (unit, name) in units {
        if span.0 > 0 && span.0 % unit.0 == 0 {
            let plural = if count(unit) == 1 { "" } else { "s" };
            return format!("{} {name}{plural}", grouped(count(unit)));
        }
    }
    format!("{} s", grouped(count(Span::seconds(1))))
}

fn count(bound: u64) -> usize {
    usize::try_from(bound).expect("a machine of 64 bits")
}

/// A number with commas.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes in the largest unit that divides them.
fn units(bytes: u64) -> String {
    let mut unit = (bytes, "bytes");
    for name in ["KiB", "MiB", "GiB", "TiB"] {
        if !unit.0.is_multiple_of(1024) {
            break;
        }
        unit = (unit.0 / 1024, name);
    }
    format!("{} {}", unit.0, unit.1)
}

/// A proto's comments as one line of prose.
fn comments(proto: &str) -> String {
    let path = root().join("proto/kimberly/v1").join(proto);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines: Vec<&str> =
        text.lines().filter_map(|line| line.trim_start().strip_prefix("//")).map(str::trim).collect();
    lines.join(" ")
}

/// A bound, the proto that repeats it, and its words there.
type Repeated = (&'static str, &'static str, String);

fn all_repeated() -> impl Iterator<Item = Repeated> {
    const ALL: &[fn() -> Vec<Repeated>] = &[
        repeated_of_record_calls,
        repeated_of_conversations,
        repeated_of_working,
        repeated_of_keys,
        repeated_of_records,
        repeated_of_links,
        repeated_of_graphs,
        repeated_of_reviews,
        repeated_of_documents,
        repeated_of_attachments,
        repeated_of_consents,
        repeated_of_meditations,
        repeated,
    ];
    ALL.iter().flat_map(|of| of())
}

#[test]
fn the_contract_repeats_every_bound() {
    let problems: Vec<String> = all_repeated()
        .filter(|(_, proto, words)| *proto != NOWHERE && !comments(proto).contains(words))
        .map(|(name, proto, words)| format!("{proto} does not say \"{words}\", which {name} says"))
        .collect();
    assert_none("bounds that differ from the contract", &problems);
}

#[test]
fn no_bound_is_left_out_of_the_comparison() {
    let core = root().join("shared/core/src");
    let read = |path| std::fs::read_to_string(core.join(path)).expect("the bounds are there");
    let sources = ["bounds.rs", "bounds/attachments.rs", "bounds/graph.rs"].map(read);
    let written: BTreeSet<&str> = sources
        .iter()
        .flat_map(|source| source.lines())
        .filter_map(|line| line.strip_prefix("pub const ")?.split_once(':'))
        .map(|(name, _)| name)
        .collect();
    let compared: BTreeSet<&str> = all_repeated().map(|(name, _, _)| name).collect();
    assert_eq!(written, compared, "bounds.rs and the comparison differ");
}

#[test]
fn numbers_are_written_as_in_prose() {
    assert_eq!((grouped(1_000_000).as_str(), grouped(64).as_str()), ("1,000,000", "64"));
    assert_eq!(
        (units(64 * 1024).as_str(), units(3 << 40).as_str(), units(1000).as_str()),
        ("64 KiB", "3 TiB", "1000 bytes")
    );
    assert_eq!(Tier::ALL.len(), 3, "the filter's comment allows at most 3 tiers");
}
