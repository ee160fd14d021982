//! Facts of records with kinds in the OpenAPI document: their fields, their details and the calls about them.

use kimberly_core::bounds as b;
use kimberly_core::documents::MediaType;
use kimberly_core::entities::{EntityRelation, EntityType};
use kimberly_core::links::Relation;
use kimberly_core::memory::{Layer, RecordKind};
use kimberly_core::reviews::ReviewKind;
use kimberly_transcode::openapi::Facts;
use serde_json::json;

use super::keywords::{any_text, at_most, known, labels, names, required, some_text, text};
use super::patterns;

/// Returns the facts of a field of these messages.
pub(super) fn of(message: &str, field: &str) -> Option<Facts> {
    match message {
        "MemoryDraft" => draft(field),
        "MemoryFilter" => filter(field),
        "Message" | "ObserveRequest" | "GetContextRequest" | "CompactSessionRequest" => conversation(message, field),
        _ => detail(message, field)
            .or_else(|| call(message, field))
            .or_else(|| graph(message, field))
            .or_else(|| review(message, field))
            .or_else(|| document(message, field)),
    }
}

fn share() -> Facts {
    known(json!({"minimum": 0, "maximum": 1}))
}

fn feeling() -> Facts {
    known(json!({"minimum": -1, "maximum": 1}))
}

fn count() -> Facts {
    known(json!({"minimum": 0, "maximum": b::MAX_RECORD_COUNT}))
}

/// A required name, which is trimmed.
fn name(most: usize) -> Facts {
    required(some_text(most, &patterns::label()))
}

/// An optional name, which is trimmed.
fn optional_name(most: usize) -> Facts {
    known(text(most, &patterns::name()))
}

fn some() -> Facts {
    required(some_text(b::MAX_DETAIL_TEXT_BYTES, &patterns::content()))
}

fn optional() -> Facts {
    known(any_text(b::MAX_DETAIL_TEXT_BYTES))
}

fn texts() -> Facts {
    known(json!({
        "maxItems": b::MAX_DETAIL_ENTRIES,
        "items": some_text(b::MAX_DETAIL_TEXT_BYTES, &patterns::content()),
    }))
}

fn draft(field: &str) -> Option<Facts> {
    Some(match field {
        "importance" => known(json!({"minimum": 0, "maximum": b::MAX_IMPORTANCE})),
        "confidence" => share(),
        _ => return None,
    })
}

fn filter(field: &str) -> Option<Facts> {
    Some(match field {
        "kinds" => at_most(RecordKind::ALL.len()),
        "layers" => at_most(Layer::ALL.len()),
        "subjects" => labels(b::MAX_FILTER_SUBJECTS, b::MAX_SUBJECT_BYTES, &patterns::printable()),
        "name_prefix" => known(text(b::MAX_NAME_BYTES, &patterns::printable())),
        "authors" => labels(b::MAX_FILTER_AUTHORS, b::MAX_AUTHOR_BYTES, &patterns::printable()),
        "min_confidence" | "below_confidence" => share(),
        "min_importance" => known(json!({"minimum": 0, "maximum": b::MAX_IMPORTANCE})),
        _ => return None,
    })
}

fn detail(message: &str, field: &str) -> Option<Facts> {
    Some(match (message, field) {
        ("Detail", "kind") | ("TurnDetail", "role") | ("PreferenceDetail", "polarity") | ("InsightDetail", "type") => {
            required(json!({}))
        }
        ("TurnDetail", "position")
        | ("PlaybookDetail", "used" | "succeeded")
        | ("RelationshipDetail", "interactions") => count(),
        ("TurnDetail", "tool" | "tool_call_id" | "sent_digest") => optional_name(b::MAX_TOOL_BYTES),
        ("EpisodeDetail", "objective") | ("FactDetail", "object") | ("DecisionDetail", "choice") => some(),
        ("EpisodeDetail", "outcome") | ("DecisionDetail", "rationale") | ("NoteDetail", "source") => optional(),
        ("EpisodeDetail", "lessons")
        | ("DecisionDetail", "alternatives")
        | ("DriveDetail", "focus")
        | ("PlaybookDetail", "triggers" | "failure_modes") => texts(),
        ("EpisodeDetail", "valence") | ("RelationshipDetail", "sentiment") => feeling(),
        ("EpisodeDetail", "arousal") | ("DriveDetail", "intensity") | ("RelationshipDetail", "trust") => share(),
        ("FactDetail" | "PreferenceDetail", "subject") | ("RelationshipDetail", "entity") => name(b::MAX_SUBJECT_BYTES),
        ("FactDetail", "predicate") => name(b::MAX_PREDICATE_BYTES),
        ("ValueDetail", "priority") => known(json!({"minimum": 0, "maximum": b::MAX_PRIORITY})),
        ("PlaybookDetail", "steps") => required(json!({
            "minItems": 1, "maxItems": b::MAX_DETAIL_ENTRIES,
            "items": some_text(b::MAX_DETAIL_TEXT_BYTES, &patterns::content()),
        })),
        ("BlockDetail", "description") => optional_name(b::MAX_BLOCK_DESCRIPTION_BYTES),
        ("RelationshipDetail", "type") => optional_name(b::MAX_RELATION_BYTES),
        ("InsightDetail", "premises") => {
            known(json!({"maxItems": b::MAX_DETAIL_ENTRIES, "items": {"pattern": patterns::id("mem_")}}))
        }
        _ => return None,
    })
}

fn call(message: &str, field: &str) -> Option<Facts> {
    Some(match (message, field) {
        ("MemoryLink" | "UnlinkRequest" | "ResolveContradictionRequest", "from_id" | "to_id")
        | (
            "LineageRequest"
            | "VerifyMemoryRequest"
            | "RecordPlaybookUseRequest"
            | "RecordInteractionRequest"
            | "CorrectMemoryRequest"
            | "ReviseBeliefRequest"
            | "InvalidateMemoryRequest"
            | "GetHistoryRequest",
            "id",
        ) => required(json!({"pattern": patterns::id("mem_")})),
        ("CorrectMemoryRequest" | "ReviseBeliefRequest", "content") => {
            required(json!({"minLength": 1, "pattern": patterns::content()}))
        }
        ("MemoryLink" | "UnlinkRequest", "relation")
        | ("ResolveContradictionRequest", "resolution")
        | ("LinkRequest", "link")
        | ("PromoteMemoriesRequest", "memory") => required(json!({})),
        ("MemoryLink", "evidence")
        | (
            "CorrectMemoryRequest"
            | "ReviseBeliefRequest"
            | "InvalidateMemoryRequest"
            | "PromoteMemoriesRequest"
            | "ResolveContradictionRequest",
            "reason",
        ) => known(json!({"maxLength": b::MAX_LINK_EVIDENCE_BYTES})),
        ("ListLinksRequest", "id") | ("ReviseBeliefRequest", "episode_id") => {
            known(json!({"pattern": patterns::id_or_nothing("mem_")}))
        }
        ("ListLinksRequest" | "LineageRequest", "relations") => at_most(Relation::ALL.len()),
        ("LineageRequest", "max_depth") => known(json!({"minimum": 0})),
        ("LineageRequest", "limit") => known(json!({"minimum": 0, "maximum": b::MAX_LINEAGE})),
        ("ImportLinksRequest", "links") => required(json!({"minItems": 1, "maxItems": b::MAX_LINK_BATCH})),
        ("GetIdentityRequest", "namespace") => known(text(b::MAX_NAMESPACE_BYTES, &patterns::label_or_nothing())),
        ("PromoteMemoriesRequest", "ids") => {
            required(json!({"minItems": 1, "maxItems": b::MAX_PROMOTED, "items": {"pattern": patterns::id("mem_")}}))
        }
        ("ListUncertainRequest", "threshold") => known(json!({"exclusiveMinimum": 0, "maximum": 1})),
        (
            "ListUncertainRequest"
            | "ListUnprocessedRequest"
            | "ListForgettingCandidatesRequest"
            | "RunForgettingRequest",
            "limit",
        ) => known(json!({"minimum": 0, "maximum": b::MAX_PAGE_SIZE})),
        ("ListForgettingCandidatesRequest" | "RunForgettingRequest", "threshold") => {
            known(json!({"exclusiveMinimum": 0, "maximum": b::MAX_FORGET_BELOW}))
        }
        ("ListForgettingCandidatesRequest" | "RunForgettingRequest", "half_life_days") => {
            known(json!({"minimum": 0, "maximum": b::MAX_HALF_LIFE_DAYS}))
        }
        ("FindPlaybooksRequest", "situation") => required(json!({"minLength": 1, "maxLength": b::MAX_QUERY_BYTES})),
        ("FindPlaybooksRequest", "limit") => known(json!({"minimum": 0, "maximum": b::MAX_TOP_K})),
        ("RecordInteractionRequest", "trust")
        | ("ReviseBeliefRequest", "confidence")
        | ("MemoryLink", "weight" | "confidence") => share(),
        ("RecordInteractionRequest", "sentiment") => feeling(),
        _ => return None,
    })
}

fn graph(message: &str, field: &str) -> Option<Facts> {
    Some(match (message, field) {
        (
            "GetEntityRequest"
            | "ListNeighboursRequest"
            | "MergeEntitiesRequest"
            | "SplitEntityRequest"
            | "RenameEntityRequest"
            | "DismissEntityRequest",
            "id",
        )
        | ("MergeEntitiesRequest" | "SplitEntityRequest", "other_id") => {
            required(json!({"pattern": patterns::id("ent_")}))
        }
        ("ListRelatedRequest", "id") => required(json!({"pattern": patterns::id("mem_")})),
        ("RenameEntityRequest", "name") => optional_name(b::MAX_ENTITY_NAME_BYTES),
        ("ListNeighboursRequest", "depth") => known(json!({"minimum": 0, "maximum": b::MAX_GRAPH_DEPTH})),
        ("ListNeighboursRequest", "relations") => at_most(EntityRelation::ALL.len()),
        ("ListNeighboursRequest" | "GetSubgraphRequest" | "ListRelatedRequest", "limit") => {
            known(json!({"minimum": 0, "maximum": b::MAX_NEIGHBOURS}))
        }
        ("GetSubgraphRequest", "ids") => {
            known(json!({"maxItems": b::MAX_NEIGHBOURS, "items": {"pattern": patterns::id("ent_")}}))
        }
        ("GetEntityRequest", "limit") => known(json!({"minimum": 0, "maximum": b::MAX_PAGE_SIZE})),
        ("ListEntitiesRequest", "search") => known(json!({"maxLength": b::MAX_ENTITY_NAME_BYTES})),
        ("ListEntitiesRequest", "types") => at_most(EntityType::ALL.len()),
        ("ListEntitiesRequest" | "GetSubgraphRequest", "namespaces") => {
            names(b::MAX_FILTER_NAMESPACES, &patterns::printable())
        }
        _ => return None,
    })
}

fn review(message: &str, field: &str) -> Option<Facts> {
    Some(match (message, field) {
        ("ListReviewsRequest", "kinds") => at_most(ReviewKind::ALL.len()),
        ("ApplyReviewRequest" | "DismissReviewRequest" | "UndoReviewRequest", "id") => {
            required(json!({"pattern": patterns::review_id()}))
        }
        _ => return None,
    })
}

fn document(message: &str, field: &str) -> Option<Facts> {
    Some(match (message, field) {
        ("IngestDocumentRequest", "original") => required(json!({})),
        ("IngestDocumentRequest", "text") => known(some_text(b::MAX_DOCUMENT_TEXT_BYTES, &patterns::content())),
        ("IngestDocumentRequest", "attachment_id") => known(json!({"pattern": patterns::id("att_")})),
        ("IngestDocumentRequest", "title") => known(text(b::MAX_TITLE_BYTES, &patterns::printable())),
        ("IngestDocumentRequest", "media_type") => {
            let names: Vec<&str> = MediaType::ALL.iter().map(|one| one.name()).chain([""]).collect();
            known(json!({"enum": names}))
        }
        ("IngestDocumentRequest", "name") => known(text(b::MAX_NAME_BYTES, &patterns::path_or_nothing())),
        ("IngestDocumentRequest", "namespace") => optional_name(b::MAX_NAMESPACE_BYTES),
        ("IngestDocumentRequest", "tags") => labels(b::MAX_TAGS, b::MAX_TAG_BYTES, &patterns::label()),
        ("IngestDocumentRequest", "source_ref") => optional_name(b::MAX_SOURCE_REF_BYTES),
        ("IngestDocumentRequest", "consent_id") => known(json!({"pattern": patterns::id_or_nothing("con_")})),
        ("ListPassagesRequest", "id") => required(json!({"pattern": patterns::id("mem_")})),
        ("DocumentDetail", "title") => name(b::MAX_TITLE_BYTES),
        ("DocumentDetail", "media_type" | "attachment_id") => optional(),
        ("DocumentDetail", "text_bytes" | "passages") => count(),
        _ => return None,
    })
}

fn conversation(message: &str, field: &str) -> Option<Facts> {
    let tokens = || known(json!({"minimum": 0, "maximum": b::MAX_CONTEXT_TOKENS}));
    Some(match (message, field) {
        ("Message", "role") => required(json!({})),
        ("Message", "id") => optional_name(b::MAX_MESSAGE_ID_BYTES),
        ("Message", "name") => optional_name(b::MAX_SPEAKER_BYTES),
        ("Message", "tool" | "tool_call_id") => optional_name(b::MAX_TOOL_BYTES),
        ("Message", "content") => known(json!({})),
        ("ObserveRequest" | "CompactSessionRequest", "session_id") => name(b::MAX_SESSION_ID_BYTES),
        ("CompactSessionRequest", "keep") => known(json!({"minimum": 0, "maximum": b::MAX_KEPT_TURNS})),
        ("ObserveRequest" | "CompactSessionRequest", "namespace") => optional_name(b::MAX_NAMESPACE_BYTES),
        ("ObserveRequest", "messages") => required(json!({"minItems": 1, "maxItems": b::MAX_BATCH})),
        ("GetContextRequest", "session_id") => optional_name(b::MAX_SESSION_ID_BYTES),
        ("GetContextRequest", "query") => known(json!({"maxLength": b::MAX_QUERY_BYTES})),
        ("GetContextRequest", "budget_tokens" | "context_window_tokens") => tokens(),
        ("GetContextRequest", "tokens_per_byte") => {
            known(json!({"minimum": b::TOKENS_PER_BYTE.start(), "maximum": b::TOKENS_PER_BYTE.end()}))
        }
        ("GetContextRequest", "min_relevance") => share(),
        _ => return None,
    })
}
