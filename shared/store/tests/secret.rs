//! A sensitive memory whose words are found nowhere else.

use kimberly_core::memory::{DecisionDetail, Detail, MemoryDraft, RecordKind};
use kimberly_store::conformance::fixtures::draft;

/// Words found nowhere else; each equals its stem.
pub(crate) const WORDS: [&str; 7] =
    ["xylothumb", "quibblezorp", "choicemuffin", "attribuzle", "channelwock", "subjectoid", "sourcerific"];

/// A draft of a sensitive memory.
pub(crate) fn sensitive(content: &str) -> MemoryDraft {
    let mut draft = draft(content);
    draft.metadata.sensitive = true;
    draft
}

/// A sensitive draft with [`WORDS`] in all its texts.
pub(crate) fn secret() -> MemoryDraft {
    let mut draft = sensitive("my xylothumb is a quibblezorp");
    draft.attributes = Some("{\"who\":\"attribuzle\"}".to_owned());
    draft.metadata.channels = vec!["channelwock".to_owned()];
    let choice = "the choicemuffin".to_owned();
    draft.kind = RecordKind::Decision;
    draft.detail = Some(Detail::Decision(DecisionDetail { choice, ..DecisionDetail::default() }));
    draft.subject = Some("Subjectoid".to_owned());
    draft.source_ref = Some("sourcerific".to_owned());
    draft
}
