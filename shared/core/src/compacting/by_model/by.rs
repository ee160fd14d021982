//! What put a summary into words, as its record says it in `attributes`.

use serde_json::Value;

use crate::memory::{MemoryDraft, names};

/// The field of `attributes`.
const FIELD: &str = "summarized_by";

/// What put summaries into words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SummarizedBy {
    /// Nothing did: they hold sentences as they were said. No language model is configured, or it is not asked about such turns.
    #[default]
    Rules,
    /// A language model.
    Model,
    /// Nothing did so far; a job asks the language model.
    ModelLater,
    /// Nothing did, as the language model did not answer, or said what was not said.
    RulesInstead,
}
names!(SummarizedBy {
    Rules => "rules",
    Model => "model",
    ModelLater => "model_later",
    RulesInstead => "rules_instead",
});

impl SummarizedBy {
    /// What a draft says.
    pub(crate) fn of(summary: &MemoryDraft) -> Self {
        let said = summary.attributes.as_deref().and_then(|said| serde_json::from_str::<Value>(said).ok());
        said.and_then(|said| Self::from_name(said.get(FIELD)?.as_str()?)).unwrap_or_default()
    }

    /// Has a draft say it; the rules need no words.
    pub(crate) fn note(self, draft: &mut MemoryDraft) {
        draft.attributes = (self != Self::Rules).then(|| serde_json::json!({ FIELD: self.name() }).to_string());
    }
}
