//! Notes who worded a summary, in the `attributes` of its record.

use serde_json::Value;

use crate::memory::{MemoryDraft, names};

/// The field in `attributes`.
const FIELD: &str = "summarized_by";

/// The author of a summary's wording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SummarizedBy {
    /// The rules: it holds sentences as they were said. No language model is configured, or it is not asked about such
    /// turns.
    #[default]
    Rules,
    /// A language model.
    Model,
    /// The rules so far; a job will ask the language model.
    ModelLater,
    /// The rules, because the language model did not answer, or stated what was not said.
    RulesInstead,
}
names!(SummarizedBy {
    Rules => "rules",
    Model => "model",
    ModelLater => "model_later",
    RulesInstead => "rules_instead",
});

impl SummarizedBy {
    /// Reads who worded a draft.
    pub(crate) fn of(summary: &MemoryDraft) -> Self {
        let said = summary.attributes.as_deref().and_then(|said| serde_json::from_str::<Value>(said).ok());
        said.and_then(|said| Self::from_name(said.get(FIELD)?.as_str()?)).unwrap_or_default()
    }

    /// Notes this in a draft. The rules leave no note.
    pub(crate) fn note(self, draft: &mut MemoryDraft) {
        draft.attributes = (self != Self::Rules).then(|| serde_json::json!({ FIELD: self.name() }).to_string());
    }
}
