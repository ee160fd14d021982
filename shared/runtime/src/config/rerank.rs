//! `[rerank]`: a cross-encoder, which the embedder runs and the stage `rerank` of recall uses.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Period, Problems};

/// Settings of the cross-encoder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RerankConfig {
    /// Folder of a cross-encoder of the BERT family with one label, or its name below `models` in the data folder.
    /// Unset: there is none.
    pub model: Option<PathBuf>,
    /// How long a query waits for the scores; 1 ms to 1 min. After that the order stays as it is without them.
    pub deadline: Period,
}

impl Default for RerankConfig {
    fn default() -> Self {
        Self { model: None, deadline: Period::seconds(2) }
    }
}

impl RerankConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        if self.model.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
            problems.add("rerank.model is empty; name the folder of a cross-encoder, or omit the key");
        }
        problems.range("rerank.deadline", self.deadline, Period::millis(1)..=Period::seconds(60));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_checked_on_both_sides() {
        let found = |model: Option<&str>, deadline: Period| {
            let mut problems = Problems::default();
            RerankConfig { model: model.map(PathBuf::from), deadline }.check(&mut problems);
            problems.0
        };
        for deadline in [Period::millis(1), Period::seconds(60)] {
            assert!(found(None, deadline).is_empty() && found(Some("a"), deadline).is_empty());
        }
        for deadline in [Period::millis(0), Period::millis(60_001)] {
            let found = found(Some(""), deadline);
            assert!(found.len() == 2 && found[0].contains("rerank.model is empty"), "{found:?}");
            assert!(found[1].contains("rerank.deadline"), "{found:?}");
        }
    }
}
