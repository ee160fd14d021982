//! Memories as version 2 of the export has them: records that come back with id, times, state, score and counts.

use kimberly_proto::v1;

use super::fields::Fields;
use super::lines::draft;
use crate::names::StateArg;

/// The record of a line.
pub(super) fn record(fields: &Fields<'_>) -> Result<v1::MemoryRecord, String> {
    Ok(v1::MemoryRecord {
        memory: Some(memory(fields)?),
        helpful_count: fields.integer("helpful_count")?.unwrap_or_default(),
        unhelpful_count: fields.integer("unhelpful_count")?.unwrap_or_default(),
        score_explanation: fields.object("score_explanation")?.map(|inner| score(&inner)).transpose()?,
        was_archived: fields.flag("was_archived")?,
        was_deleted: fields.flag("was_deleted")?,
    })
}

fn memory(fields: &Fields<'_>) -> Result<v1::Memory, String> {
    let draft = draft(fields)?;
    let schema_version = fields.integer("schema_version")?.unwrap_or_default();
    Ok(v1::Memory {
        id: fields.text("id")?,
        tier: draft.tier,
        content: draft.content,
        metadata: draft.metadata,
        attributes: draft.attributes,
        session_id: draft.session_id,
        namespace: draft.namespace,
        consent_id: draft.consent_id,
        embed: draft.embed,
        withheld: fields.flag("withheld")?,
        protected: draft.protected,
        speaker: draft.speaker,
        occurred_at: draft.occurred_at,
        audit: Some(v1::Provenance { created_by: draft.created_by, consent: draft.consent }),
        state: fields.name("state", StateArg::number)?,
        score: fields.number("score")?.unwrap_or_default(),
        created_at: fields.time("created_at")?,
        updated_at: fields.time("updated_at")?,
        last_seen_at: fields.time("last_seen_at")?,
        archived_at: fields.time("archived_at")?,
        delete_after: fields.time("delete_after")?,
        access_count: fields.integer("access_count")?.unwrap_or_default(),
        schema_version: i32::try_from(schema_version).map_err(|_| "schema_version is out of range")?,
        etag: fields.text("etag")?,
        ..v1::Memory::default()
    })
}

fn score(fields: &Fields<'_>) -> Result<v1::ScoreExplanation, String> {
    let number = |key: &str| Ok::<_, String>(fields.number(key)?.unwrap_or_default());
    Ok(v1::ScoreExplanation {
        scoring_version: fields.text("scoring_version")?,
        scored_at: fields.time("scored_at")?,
        score: number("score")?,
        relevance_to_goals: number("relevance_to_goals")?,
        emotional_weight: number("emotional_weight")?,
        predictive_value: number("predictive_value")?,
        recency_freq: number("recency_freq")?,
        weights: fields.object("weights")?.map(|inner| super::lines::weights(&inner)).transpose()?,
        inputs: fields.object("inputs")?.map(|inner| inner.numbers()).transpose()?.unwrap_or_default(),
        best_goal_id: fields.text("best_goal_id")?,
    })
}
