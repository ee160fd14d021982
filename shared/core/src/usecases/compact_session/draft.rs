//! Drafts the record that turns, or older summaries, become.

use super::position;
use crate::compacting::{Covers, Spoken, room, summarize};
use crate::error::Result;
use crate::memory::{Creator, DraftLimits, Memory, MemoryDraft, Metadata, RecordKind, Source, SourceType, Tier};

/// Content of a summary whose turns say nothing by themselves.
const NOTHING: &str = "[greetings, code and answers of tools]";

/// Drafts the summary of what turns said; `None` without turns.
pub(super) fn of_turns(turns: &[Memory], said: &[Spoken<'_>], limits: DraftLimits) -> Result<Option<MemoryDraft>> {
    let (Some(first), Some(last)) = (turns.first(), turns.last()) else { return Ok(None) };
    let covers = Covers { first: position(first), last: position(last) };
    draft(last, covers, &summarize(said, fitting(room(said), limits)), limits).map(Some)
}

/// Makes a draft that inherits session, namespace, consent and sensitivity from its last source.
pub(super) fn draft(last: &Memory, covers: Covers, text: &str, limits: DraftLimits) -> Result<MemoryDraft> {
    let of = &last.draft;
    let draft = MemoryDraft {
        tier: Tier::LongTerm,
        content: if text.is_empty() { NOTHING.to_owned() } else { text.to_owned() },
        metadata: Metadata { source: Source::Chat, sensitive: of.metadata.sensitive, ..Metadata::default() },
        session_id: of.session_id.clone(),
        occurred_at: Some(last.occurred_at()),
        created_by: Creator::System,
        consent: of.consent,
        namespace: of.namespace.clone(),
        consent_id: of.consent_id,
        kind: RecordKind::Summary,
        source_type: Some(SourceType::Consolidation),
        source_ref: Some(covers.to_source()),
        ..MemoryDraft::default()
    };
    draft.normalized("summary", limits)
}

/// Limits the room to half of the longest content, as a summary may take one sentence more.
pub(super) fn fitting(room: usize, limits: DraftLimits) -> usize {
    room.min(limits.max_content_bytes / 2)
}
