//! Memories, receipts, results and scores as JSON.

use std::collections::BTreeMap;

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::{compact, structs, time};
use crate::names;

/// A memory.
pub(crate) fn memory(memory: &v1::Memory) -> Value {
    let audit = memory.audit.unwrap_or_default();
    compact(json!({
        "id": memory.id,
        "user_id": memory.user_id,
        "tier": names::tier(memory.tier),
        "state": names::state(memory.state),
        "content": memory.content,
        "size_bytes": memory.size_bytes,
        "metadata": memory.metadata.as_ref().map(metadata),
        "attributes": memory.attributes.as_ref().map(structs::from_struct),
        "score": memory.score,
        "session_id": memory.session_id,
        "speaker": memory.speaker,
        "protected": memory.protected,
        "embed": names::embed(memory.embed),
        "audit": {"created_by": names::creator(audit.created_by), "consent": audit.consent},
        "embedding_ref": memory.embedding_ref,
        "created_at": time(memory.created_at.as_ref()),
        "updated_at": time(memory.updated_at.as_ref()),
        "occurred_at": time(memory.occurred_at.as_ref()),
        "last_seen_at": time(memory.last_seen_at.as_ref()),
        "archived_at": time(memory.archived_at.as_ref()),
        "delete_after": time(memory.delete_after.as_ref()),
        "access_count": memory.access_count,
        "schema_version": memory.schema_version,
        "etag": memory.etag,
        "namespace": memory.namespace,
        "consent_id": memory.consent_id,
        "withheld": memory.withheld.then_some(true),
    }))
}

/// A memory with everything that is kept about it.
pub(crate) fn record(record: &v1::MemoryRecord) -> Value {
    let mut value = memory(&record.memory.clone().unwrap_or_default());
    value["helpful_count"] = json!(record.helpful_count);
    value["unhelpful_count"] = json!(record.unhelpful_count);
    value["was_archived"] = json!(record.was_archived);
    value["was_deleted"] = json!(record.was_deleted);
    if let Some(why) = &record.score_explanation {
        value["score_explanation"] = score_explanation(why);
    }
    value
}

fn metadata(metadata: &v1::Metadata) -> Value {
    use v1::feedback::Kind;
    let feedback = metadata.user_feedback.and_then(|feedback| feedback.kind).map(|kind| match kind {
        Kind::ThumbsUp(up) => json!({"thumbs_up": up}),
        Kind::Rating(stars) => json!({"rating": stars}),
    });
    compact(json!({
        "tags": metadata.tags,
        "source": names::source(metadata.source),
        "channels": metadata.channels,
        "sensitive": metadata.sensitive,
        "scope": names::scope(metadata.scope),
        "user_feedback": feedback,
        "version": metadata.version,
    }))
}

/// A receipt.
pub(crate) fn receipt(receipt: &v1::MemoryReceipt) -> Value {
    compact(json!({
        "id": receipt.id,
        "tier": names::tier(receipt.tier),
        "state": names::state(receipt.state),
        "size_bytes": receipt.size_bytes,
        "score": receipt.score,
        "etag": receipt.etag,
        "created_at": time(receipt.created_at.as_ref()),
        "updated_at": time(receipt.updated_at.as_ref()),
        "delete_after": time(receipt.delete_after.as_ref()),
    }))
}

/// A recalled memory.
pub(crate) fn query_result(result: &v1::QueryResult) -> Value {
    compact(json!({
        "score": result.score,
        "relevance": result.relevance,
        "memory": result.memory.as_ref().map(memory),
        "explanation": result.explanation.as_ref().map(explanation),
        "content_cut": result.content_cut.then_some(true),
        "highlights": highlights(&result.highlights),
    }))
}

/// Passages; null if there are none.
fn highlights(all: &[v1::Highlight]) -> Value {
    let spans = all.iter().map(|one| json!({"start": one.start, "end": one.end}));
    if all.is_empty() { Value::Null } else { spans.collect() }
}

/// The parts of a result's score.
fn explanation(parts: &v1::RecallExplanation) -> Value {
    json!({
        "lexical": parts.lexical,
        "context": parts.context,
        "speaker_boost": parts.speaker_boost,
        "time_boost": parts.time_boost,
        "form_boost": parts.form_boost,
        "semantic": parts.semantic,
        "memory_score": parts.memory_score,
        "freshness_boost": parts.freshness_boost,
        "lambda": parts.lambda,
        "found_by": parts.found_by,
        "cosine": parts.cosine,
        "vector": parts.vector,
        "vector_context": parts.vector_context,
        "fusion": parts.fusion,
        "parts": parts.parts.iter().collect::<BTreeMap<_, _>>(),
    })
}

/// What a stage of recall did.
pub(crate) fn recall_stage(did: &v1::RecallStage) -> Value {
    json!({
        "name": did.name,
        "on": did.on,
        "candidates_in": did.candidates_in,
        "candidates_out": did.candidates_out,
        "note": did.note,
    })
}

/// Four weights.
pub(crate) fn weights(weights: &v1::Weights) -> Value {
    json!({
        "relevance_to_goals": weights.relevance_to_goals,
        "emotional_weight": weights.emotional_weight,
        "predictive_value": weights.predictive_value,
        "recency_freq": weights.recency_freq,
    })
}

/// Why a memory has its score.
pub(crate) fn score_explanation(why: &v1::ScoreExplanation) -> Value {
    let mut inputs: Vec<(&String, &f64)> = why.inputs.iter().collect();
    inputs.sort_by_key(|(name, _)| *name);
    compact(json!({
        "scoring_version": why.scoring_version,
        "scored_at": time(why.scored_at.as_ref()),
        "score": why.score,
        "relevance_to_goals": why.relevance_to_goals,
        "emotional_weight": why.emotional_weight,
        "predictive_value": why.predictive_value,
        "recency_freq": why.recency_freq,
        "weights": why.weights.as_ref().map(weights),
        "inputs": inputs.into_iter().map(|(name, value)| (name.clone(), json!(value))).collect::<serde_json::Map<_, _>>(),
        "best_goal_id": why.best_goal_id,
    }))
}
