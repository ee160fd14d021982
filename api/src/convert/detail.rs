//! Converts details of records in both directions. Values outside closed sets are refused here; the domain checks the
//! bounds.

use kimberly_core::MemoryId;
use kimberly_core::memory::{
    BlockDetail, DecisionDetail, Detail, DocumentDetail, DriveDetail, EpisodeDetail, FactDetail, InsightDetail,
    NoteDetail, PlaybookDetail, PreferenceDetail, RelationshipDetail, TurnDetail, ValueDetail,
};
use kimberly_proto::v1;
use kimberly_proto::v1::detail::Kind;

use super::enums::{self, WireEnum};
use super::problems::Problems;

/// Converts a detail. `path` is its path in the request, such as `memory.detail`.
pub fn detail(path: &str, raw: v1::Detail, problems: &mut Problems) -> Option<Detail> {
    let Some(kind) = raw.kind else {
        problems.add(path, "has no kind; set one of its fields, or omit it");
        return None;
    };
    Some(match kind {
        Kind::Turn(raw) => Detail::Turn(TurnDetail {
            role: required(&format!("{path}.turn.role"), raw.role, problems)?,
            position: raw.position,
            tool: raw.tool,
            tool_call_id: raw.tool_call_id,
            sent_digest: raw.sent_digest,
        }),
        Kind::Episode(raw) => Detail::Episode(EpisodeDetail {
            objective: raw.objective,
            outcome: raw.outcome,
            outcome_type: problems.take(&format!("{path}.episode.outcome_type"), enums::optional(raw.outcome_type)),
            lessons: raw.lessons,
            valence: raw.valence,
            arousal: raw.arousal,
        }),
        Kind::Fact(raw) => {
            Detail::Fact(FactDetail { subject: raw.subject, predicate: raw.predicate, object: raw.object })
        }
        Kind::Preference(raw) => Detail::Preference(PreferenceDetail {
            subject: raw.subject,
            polarity: required(&format!("{path}.preference.polarity"), raw.polarity, problems)?,
        }),
        Kind::Decision(raw) => Detail::Decision(DecisionDetail {
            choice: raw.choice,
            alternatives: raw.alternatives,
            rationale: raw.rationale,
        }),
        Kind::Note(raw) => Detail::Note(NoteDetail {
            note_type: problems.take(&format!("{path}.note.type"), enums::optional(raw.r#type)).unwrap_or_default(),
            source: raw.source,
        }),
        Kind::Value(raw) => Detail::Value(ValueDetail { priority: raw.priority }),
        Kind::Drive(raw) => Detail::Drive(DriveDetail { intensity: raw.intensity, focus: raw.focus }),
        Kind::Playbook(raw) => Detail::Playbook(PlaybookDetail {
            triggers: raw.triggers,
            steps: raw.steps,
            failure_modes: raw.failure_modes,
            used: raw.used,
            succeeded: raw.succeeded,
        }),
        Kind::Relationship(raw) => Detail::Relationship(RelationshipDetail {
            entity: raw.entity,
            relation: raw.r#type,
            trust: raw.trust,
            sentiment: raw.sentiment,
            interactions: raw.interactions,
        }),
        Kind::Insight(raw) => Detail::Insight(InsightDetail {
            insight_type: required(&format!("{path}.insight.type"), raw.r#type, problems)?,
            premises: premises(&format!("{path}.insight.premises"), &raw.premises, problems),
        }),
        Kind::Block(raw) => Detail::Block(BlockDetail { description: raw.description, read_only: raw.read_only }),
        Kind::Document(raw) => Detail::Document(DocumentDetail {
            title: raw.title,
            media_type: raw.media_type,
            attachment: raw.attachment_id,
            text_bytes: raw.text_bytes,
            passages: raw.passages,
        }),
    })
}

/// Parses a required value. If it is unset or invalid, records the problem and returns `None`.
fn required<E: WireEnum>(field: &str, raw: i32, problems: &mut Problems) -> Option<E> {
    problems.take(field, enums::set(raw).map(Some))
}

fn premises(path: &str, raw: &[String], problems: &mut Problems) -> Vec<MemoryId> {
    let parsed = raw.iter().enumerate().map(|(index, id)| MemoryId::parse(&format!("{path}[{index}]"), id));
    parsed.filter_map(|id| problems.absorb(id)).collect()
}

/// Converts a detail to the contract.
pub fn to_wire(detail: Detail) -> v1::Detail {
    let kind = match detail {
        Detail::Turn(turn) => Kind::Turn(v1::TurnDetail {
            role: turn.role.number(),
            position: turn.position,
            tool: turn.tool,
            tool_call_id: turn.tool_call_id,
            sent_digest: turn.sent_digest,
        }),
        Detail::Episode(episode) => Kind::Episode(v1::EpisodeDetail {
            objective: episode.objective,
            outcome: episode.outcome,
            outcome_type: episode.outcome_type.map(WireEnum::number).unwrap_or_default(),
            lessons: episode.lessons,
            valence: episode.valence,
            arousal: episode.arousal,
        }),
        Detail::Fact(fact) => {
            Kind::Fact(v1::FactDetail { subject: fact.subject, predicate: fact.predicate, object: fact.object })
        }
        Detail::Preference(preference) => Kind::Preference(v1::PreferenceDetail {
            subject: preference.subject,
            polarity: preference.polarity.number(),
        }),
        Detail::Decision(decision) => Kind::Decision(v1::DecisionDetail {
            choice: decision.choice,
            alternatives: decision.alternatives,
            rationale: decision.rationale,
        }),
        Detail::Note(note) => Kind::Note(v1::NoteDetail { r#type: note.note_type.number(), source: note.source }),
        Detail::Value(value) => Kind::Value(v1::ValueDetail { priority: value.priority }),
        Detail::Drive(drive) => Kind::Drive(v1::DriveDetail { intensity: drive.intensity, focus: drive.focus }),
        Detail::Playbook(playbook) => Kind::Playbook(v1::PlaybookDetail {
            triggers: playbook.triggers,
            steps: playbook.steps,
            failure_modes: playbook.failure_modes,
            used: playbook.used,
            succeeded: playbook.succeeded,
        }),
        Detail::Relationship(relationship) => Kind::Relationship(v1::RelationshipDetail {
            entity: relationship.entity,
            r#type: relationship.relation,
            trust: relationship.trust,
            sentiment: relationship.sentiment,
            interactions: relationship.interactions,
        }),
        Detail::Insight(insight) => Kind::Insight(v1::InsightDetail {
            r#type: insight.insight_type.number(),
            premises: insight.premises.iter().map(ToString::to_string).collect(),
        }),
        Detail::Block(block) => {
            Kind::Block(v1::BlockDetail { description: block.description, read_only: block.read_only })
        }
        Detail::Document(document) => Kind::Document(v1::DocumentDetail {
            title: document.title,
            media_type: document.media_type,
            attachment_id: document.attachment,
            text_bytes: document.text_bytes,
            passages: document.passages,
        }),
    };
    v1::Detail { kind: Some(kind) }
}

#[cfg(test)]
mod tests;
