//! Converts drafts from the contract; memories, receipts and explanations of scores to the contract.

use kimberly_core::memory::{ConfidenceChange, Creator, Feedback, Memory, MemoryDraft, MemoryReceipt, Metadata};
use kimberly_core::retention::{Salience, Warmth};
use kimberly_core::scoring::{ScoreRecord, Weights};
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::feedback::Kind;

use super::enums::{self, WireEnum as _};
use super::problems::{Problems, required};
use super::{attributes, detail, int64, text, time};

/// Converts a draft. `path` is its path in the request, such as `memories[3]`.
pub fn draft(path: &str, raw: Option<v1::MemoryDraft>) -> Result<MemoryDraft> {
    let raw = required(path, raw)?;
    let mut problems = Problems::default();
    let at = |field: &str| format!("{path}.{field}");
    let attributes = raw.attributes.map(|given| attributes::to_json(&at("attributes"), &given));
    let draft = MemoryDraft {
        tier: problems.take(&at("tier"), enums::optional(raw.tier)).unwrap_or_default(),
        content: raw.content,
        metadata: metadata(&at("metadata"), raw.metadata.unwrap_or_default(), &mut problems),
        attributes: problems.absorb(attributes.transpose()).flatten(),
        session_id: text(raw.session_id),
        protected: raw.protected,
        speaker: text(raw.speaker),
        occurred_at: problems.take(&at("occurred_at"), time::optional_timestamp(raw.occurred_at)),
        created_by: problems.take(&at("created_by"), enums::optional(raw.created_by)).unwrap_or(Creator::User),
        consent: raw.consent,
        namespace: raw.namespace,
        consent_id: problems.absorb(super::references::consent_id(&at("consent_id"), &raw.consent_id)).flatten(),
        embed: problems.take(&at("embed"), enums::optional(raw.embed)).unwrap_or_default(),
        kind: problems.take(&at("kind"), enums::optional(raw.kind)).unwrap_or_default(),
        detail: raw.detail.and_then(|given| detail::detail(&at("detail"), given, &mut problems)),
        subject: text(raw.subject),
        importance: raw.importance,
        confidence: raw.confidence,
        source_type: problems.take(&at("source_type"), enums::optional(raw.source_type)),
        valid_from: problems.take(&at("valid_from"), time::optional_timestamp(raw.valid_from)),
        valid_to: problems.take(&at("valid_to"), time::optional_timestamp(raw.valid_to)),
        source_ref: text(raw.source_ref),
        name: text(raw.name),
    };
    problems.finish(draft)
}

/// Moves the fields of a stored memory into the draft from which it was written.
pub(super) fn draft_of(memory: &mut v1::Memory) -> v1::MemoryDraft {
    let audit = memory.audit.unwrap_or_default();
    v1::MemoryDraft {
        tier: memory.tier,
        content: std::mem::take(&mut memory.content),
        metadata: memory.metadata.take(),
        attributes: memory.attributes.take(),
        session_id: std::mem::take(&mut memory.session_id),
        protected: memory.protected,
        speaker: std::mem::take(&mut memory.speaker),
        occurred_at: memory.occurred_at,
        created_by: audit.created_by,
        consent: audit.consent,
        namespace: std::mem::take(&mut memory.namespace),
        consent_id: std::mem::take(&mut memory.consent_id),
        embed: memory.embed,
        kind: memory.kind,
        detail: memory.detail.take(),
        subject: std::mem::take(&mut memory.subject),
        importance: memory.importance,
        // The confidence of the draft was not stored. The current one is read separately.
        confidence: None,
        source_type: memory.source_type,
        valid_from: memory.valid_from,
        valid_to: memory.valid_to,
        source_ref: std::mem::take(&mut memory.source_ref),
        name: std::mem::take(&mut memory.name),
    }
}

/// Converts the drafts of a batch. Reports the problems of all of them.
pub fn drafts(raw: Vec<v1::MemoryDraft>) -> Result<Vec<MemoryDraft>> {
    let mut problems = Problems::default();
    let take = |(index, one)| problems.absorb(draft(&format!("memories[{index}]"), Some(one))).unwrap_or_default();
    let drafts = raw.into_iter().enumerate().map(take).collect();
    problems.finish(drafts)
}

fn metadata(path: &str, raw: v1::Metadata, problems: &mut Problems) -> Metadata {
    Metadata {
        tags: raw.tags,
        source: problems.take(&format!("{path}.source"), enums::optional(raw.source)).unwrap_or_default(),
        channels: raw.channels,
        sensitive: raw.sensitive,
        scope: problems.take(&format!("{path}.scope"), enums::optional(raw.scope)).unwrap_or_default(),
        user_feedback: feedback(&format!("{path}.user_feedback"), raw.user_feedback, problems),
        version: raw.version,
    }
}

fn feedback(path: &str, raw: Option<v1::Feedback>, problems: &mut Problems) -> Option<Feedback> {
    match raw?.kind {
        Some(Kind::ThumbsUp(true)) => Some(Feedback::ThumbsUp),
        Some(Kind::ThumbsUp(false)) => Some(Feedback::ThumbsDown),
        Some(Kind::Rating(raw)) => {
            let stars = u8::try_from(raw).ok().filter(|stars| (1..=5).contains(stars));
            if stars.is_none() {
                problems.add(format!("{path}.rating"), format!("is {raw}; 1 to 5 are allowed"));
            }
            stars.map(Feedback::Rating)
        }
        None => {
            problems.add(path, "has no kind; set thumbs_up or rating, or omit it");
            None
        }
    }
}

/// Converts a memory to the contract. Fails only if stored data is damaged.
pub fn memory(user: &UserId, memory: Memory) -> Result<v1::Memory> {
    let (etag, occurred_at) = (memory.etag(), memory.occurred_at());
    let (draft, belief) = (memory.draft, memory.belief);
    let (source_type, layer) = (draft.source_type().number(), draft.kind.layer().number());
    Ok(v1::Memory {
        id: memory.id.to_string(),
        user_id: user.as_str().to_owned(),
        tier: draft.tier.number(),
        content: draft.content,
        size_bytes: int64(memory.size_bytes),
        metadata: Some(wire_metadata(draft.metadata)),
        score: memory.score,
        embedding_ref: String::new(),
        created_at: Some(time::wire_timestamp(memory.created_at)),
        last_seen_at: Some(time::wire_timestamp(memory.last_seen_at)),
        audit: Some(v1::Provenance { created_by: draft.created_by.number(), consent: draft.consent }),
        etag,
        schema_version: memory.schema_version,
        state: memory.state.number(),
        archived_at: memory.archived_at.map(time::wire_timestamp),
        delete_after: memory.delete_after.map(time::wire_timestamp),
        protected: draft.protected,
        session_id: draft.session_id.unwrap_or_default(),
        access_count: int64(memory.access_count),
        attributes: draft.attributes.as_deref().map(attributes::from_json).transpose()?,
        speaker: draft.speaker.unwrap_or_default(),
        occurred_at: Some(time::wire_timestamp(occurred_at)),
        updated_at: Some(time::wire_timestamp(memory.updated_at)),
        namespace: draft.namespace,
        consent_id: draft.consent_id.map(|id| id.to_string()).unwrap_or_default(),
        withheld: memory.withheld,
        embed: draft.embed.number(),
        kind: draft.kind.number(),
        detail: draft.detail.map(detail::to_wire),
        subject: draft.subject.unwrap_or_default(),
        importance: draft.importance,
        confidence: Some(belief.confidence),
        source_type,
        valid_from: draft.valid_from.map(time::wire_timestamp),
        valid_to: draft.valid_to.map(time::wire_timestamp),
        last_verified_at: belief.last_verified_at.map(time::wire_timestamp),
        verification_count: int64(belief.verification_count),
        stale_since: belief.stale_since.map(time::wire_timestamp),
        confidence_history: belief.history.into_iter().map(confidence_change).collect(),
        source_ref: draft.source_ref.unwrap_or_default(),
        author: belief.author,
        layer,
        name: draft.name.unwrap_or_default(),
        summary: String::new(),
        auto_tags: memory.auto_tags,
    })
}

/// Converts a change of confidence to the contract.
pub fn confidence_change(change: ConfidenceChange) -> v1::ConfidenceChange {
    v1::ConfidenceChange {
        changed_at: Some(time::wire_timestamp(change.changed_at)),
        confidence: change.confidence,
        reason: change.reason.number(),
    }
}

fn wire_metadata(metadata: Metadata) -> v1::Metadata {
    let feedback = |given| match given {
        Feedback::ThumbsUp => Kind::ThumbsUp(true),
        Feedback::ThumbsDown => Kind::ThumbsUp(false),
        Feedback::Rating(stars) => Kind::Rating(i32::from(stars)),
    };
    v1::Metadata {
        tags: metadata.tags,
        source: metadata.source.number(),
        channels: metadata.channels,
        sensitive: metadata.sensitive,
        scope: metadata.scope.number(),
        user_feedback: metadata.user_feedback.map(|given| v1::Feedback { kind: Some(feedback(given)) }),
        version: metadata.version,
    }
}

/// Converts a receipt to the contract.
pub fn receipt(receipt: MemoryReceipt) -> v1::MemoryReceipt {
    v1::MemoryReceipt {
        id: receipt.id.to_string(),
        tier: receipt.tier.number(),
        state: receipt.state.number(),
        size_bytes: int64(receipt.size_bytes),
        score: receipt.score,
        etag: receipt.etag,
        created_at: Some(time::wire_timestamp(receipt.created_at)),
        updated_at: Some(time::wire_timestamp(receipt.updated_at)),
        delete_after: receipt.delete_after.map(time::wire_timestamp),
        masked: receipt.masked,
        existing: receipt.existing,
    }
}

/// Converts the explanation of a memory's score to the contract.
pub fn score_explanation(record: ScoreRecord) -> v1::ScoreExplanation {
    v1::ScoreExplanation {
        scoring_version: record.version,
        scored_at: Some(time::wire_timestamp(record.scored_at)),
        score: record.score,
        relevance_to_goals: record.signals.relevance_to_goals,
        emotional_weight: record.signals.emotional_weight,
        predictive_value: record.signals.predictive_value,
        recency_freq: record.signals.recency_freq,
        weights: Some(weights(record.weights)),
        inputs: record.inputs.into_iter().collect(),
        best_goal_id: record.best_goal.map(|id| id.to_string()).unwrap_or_default(),
    }
}

/// Converts a memory's salience to the contract.
pub fn salience(salience: Salience) -> v1::Salience {
    v1::Salience {
        value: salience.value,
        confidence: salience.confidence,
        access_count: int64(salience.access_count),
        days_since_access: salience.idle.as_days(),
        half_life_days: salience.half_life.as_days(),
        lasts: salience.lasts,
    }
}

/// Converts a memory's temperature, with its reasons, to the contract.
pub fn warmth(warmth: Warmth) -> v1::Warmth {
    v1::Warmth {
        temperature: warmth.temperature.number(),
        reason: warmth.reason.name().to_owned(),
        decay: warmth.decay,
        priority: warmth.priority,
        connections: int64(warmth.connections.all),
        recent_connections: int64(warmth.connections.recent),
        days_since_access: warmth.idle.as_days(),
    }
}

/// Converts weights to the contract.
pub const fn weights(weights: Weights) -> v1::Weights {
    v1::Weights {
        relevance_to_goals: weights.relevance_to_goals,
        emotional_weight: weights.emotional_weight,
        predictive_value: weights.predictive_value,
        recency_freq: weights.recency_freq,
    }
}
