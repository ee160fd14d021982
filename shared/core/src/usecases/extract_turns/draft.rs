//! Drafts the record that a candidate becomes.

use crate::extraction::{Candidate, Nature};
use crate::memory::{Creator, Memory, MemoryDraft, Metadata, Source, SourceType};

/// Makes a draft that inherits tier, namespace, consent and sensitivity from its turn.
pub(super) fn draft(candidate: &Candidate, turn: &Memory) -> MemoryDraft {
    let of = &turn.draft;
    let said_at = Some(of.occurred_at.unwrap_or(turn.created_at));
    // A plan is dated when it was said, as it has not happened yet.
    let happened = candidate.period.map(|period| period.from).filter(|_| candidate.nature == Nature::Event);
    MemoryDraft {
        tier: of.tier,
        content: candidate.content.clone(),
        metadata: Metadata { source: Source::Chat, sensitive: of.metadata.sensitive, ..Metadata::default() },
        speaker: of.speaker.clone(),
        occurred_at: happened.or(said_at),
        created_by: Creator::System,
        consent: of.consent,
        namespace: of.namespace.clone(),
        consent_id: of.consent_id,
        kind: candidate.class.kind(),
        subject: Some(candidate.subject.clone()),
        importance: i32::from(candidate.importance),
        confidence: Some(candidate.confidence),
        source_type: Some(SourceType::Extraction),
        source_ref: Some(turn.id.to_string()),
        valid_from: candidate.valid.from,
        valid_to: candidate.valid.to,
        ..MemoryDraft::default()
    }
}
