//! The work that changes of a draft require.

use crate::memory::MemoryDraft;

/// Reports whether a change touches what a consent is about: the text, or what its scope looks at.
pub(super) fn captures_differently(before: &MemoryDraft, after: &MemoryDraft) -> bool {
    let about = |draft: &MemoryDraft| {
        let (sensitive, tags) = (draft.metadata.sensitive, draft.metadata.tags.clone());
        (draft.content.clone(), draft.attributes.clone(), draft.detail.clone(), sensitive, tags)
    };
    let names = |draft: &MemoryDraft| (draft.subject.clone(), draft.source_ref.clone(), draft.name.clone());
    let location = |draft: &MemoryDraft| (draft.tier, draft.namespace.clone(), draft.session_id.clone());
    about(before) != about(after) || names(before) != names(after) || location(before) != location(after)
}

/// Reports whether a change touches what steps of a meditation read.
pub(super) fn reads_differently(before: &MemoryDraft, after: &MemoryDraft) -> bool {
    let read = |draft: &MemoryDraft| {
        let (sensitive, kind, at) = (draft.metadata.sensitive, draft.kind, draft.occurred_at);
        let from = (draft.metadata.source, draft.source_ref.clone(), draft.name.clone());
        (
            draft.content.clone(),
            draft.speaker.clone(),
            draft.subject.clone(),
            draft.namespace.clone(),
            draft.detail.clone(),
            sensitive,
            kind,
            at,
            from,
        )
    };
    read(before) != read(after)
}

/// Reports whether a change touches the inputs of the sentiment.
pub(super) fn feels_differently(before: &MemoryDraft, after: &MemoryDraft) -> bool {
    before.content != after.content || before.emotion() != after.emotion()
}

/// Reports whether a change touches the inputs of the score.
pub(super) fn scores_differently(before: &MemoryDraft, after: &MemoryDraft) -> bool {
    feels_differently(before, after)
        || before.metadata.tags != after.metadata.tags
        || before.metadata.user_feedback != after.metadata.user_feedback
}
