//! Blocks of core memory and their rules.

use super::label::{label_of, label_problem, name_of};
use crate::bounds::MAX_BLOCK_BYTES;
use crate::memory::{BlockDetail, Detail, EmbedMark, Memory, MemoryDraft, RecordKind, Tier};

/// A block as written into a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// The block's label.
    pub label: &'a str,
    /// The purpose of the block; may be empty.
    pub description: &'a str,
    /// Whether assistants must not change it.
    pub read_only: bool,
    /// The block's text.
    pub content: &'a str,
}

impl<'a> Block<'a> {
    /// Views a record as a block; `None` if it is not one.
    pub fn of(memory: &'a Memory) -> Option<Self> {
        let label = label_of(memory.draft.name.as_deref()?)?;
        let Some(Detail::Block(BlockDetail { description, read_only })) = &memory.draft.detail else { return None };
        Some(Self { label, description, read_only: *read_only, content: &memory.draft.content })
    }
}

/// Returns the draft of a block's record.
pub fn draft(label: &str, content: String, detail: BlockDetail) -> MemoryDraft {
    MemoryDraft {
        tier: Tier::Permanent,
        content,
        protected: true,
        embed: EmbedMark::Never,
        kind: RecordKind::Block,
        detail: Some(Detail::Block(detail)),
        name: Some(name_of(label)),
        ..MemoryDraft::default()
    }
}

/// Reports violations of a draft that is a block or has a block's name.
pub(crate) fn check(draft: &MemoryDraft, bad: &mut impl FnMut(&str, String)) {
    let label = draft.name.as_deref().and_then(label_of);
    if label.is_none() && draft.kind != RecordKind::Block {
        return;
    }
    let Some(label) = label else {
        return bad("name", "is not the name of a block, which is `core/` and a label".to_owned());
    };
    if let Some(problem) = label_problem(label) {
        bad("name", problem);
    }
    if !matches!(draft.detail, Some(Detail::Block(_))) {
        bad(
            "detail",
            "is not `block`, although the name begins with `core/`; CoreMemoryService adds blocks".to_owned(),
        );
    }
    if draft.tier != Tier::Permanent {
        bad("tier", "is not permanent; blocks of core memory are".to_owned());
    }
    if !draft.protected {
        bad("protected", "is not set; blocks of core memory are protected".to_owned());
    }
    let has = draft.content.len();
    if has > MAX_BLOCK_BYTES {
        bad(
            "content",
            format!("has {has} bytes; a block has at most {MAX_BLOCK_BYTES}: shorten it, or use another block"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::memory::DraftLimits;

    fn fields(draft: MemoryDraft) -> Vec<String> {
        match draft.normalized("memory", DraftLimits::default()) {
            Ok(_) => Vec::new(),
            Err(Error::Invalid(found)) => found.into_iter().map(|violation| violation.field).collect(),
            Err(other) => panic!("{other}"),
        }
    }

    fn block(content: &str) -> MemoryDraft {
        draft("persona", content.to_owned(), BlockDetail::default())
    }

    #[test]
    fn a_block_is_permanent_protected_small_and_named_by_its_label() {
        assert_eq!(fields(block("")), [""; 0]);
        assert_eq!(fields(block(&"x".repeat(MAX_BLOCK_BYTES))), [""; 0]);
        assert_eq!(fields(block(&"x".repeat(MAX_BLOCK_BYTES + 1))), ["memory.content"]);
        assert_eq!(fields(MemoryDraft { tier: Tier::LongTerm, ..block("") }), ["memory.tier"]);
        assert_eq!(fields(MemoryDraft { protected: false, ..block("") }), ["memory.protected"]);
        assert_eq!(fields(MemoryDraft { name: Some("persona".to_owned()), ..block("") }), ["memory.name"]);
        assert_eq!(fields(MemoryDraft { name: Some("core/a/b".to_owned()), ..block("") }), ["memory.name"]);
        let other = MemoryDraft { kind: RecordKind::Unset, detail: None, ..block("a note") };
        assert_eq!(fields(other), ["memory.detail"], "nothing else stands under `core/`");
    }
}
