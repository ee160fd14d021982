//! `[recall]`: which stages run, the relevance threshold, and how vectors contribute if embeddings are on.

use std::collections::BTreeMap;

use kimberly_core::recall::Fusion;
use kimberly_core::recall::stages::{Stage, Stages, Switch};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Period, Problems};

/// Maximum number of cached query vectors.
const MAX_CACHED_QUERIES: usize = 1_000_000;

/// Settings of recall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecallConfig {
    /// How words and vectors are combined: "sum" of calibrated strengths, or "rrf", reciprocal rank fusion.
    pub fusion: String,
    /// How long a query waits for its vector; 1 ms to 10 s. After that only words are searched. If that happens
    /// repeatedly, later queries skip the wait until the embedder is fast again.
    pub embed_deadline: Period,
    /// Number of most recent query vectors cached; 0 to 1,000,000.
    pub cached_queries: usize,
    /// Results with lower relevance are omitted, unless a query overrides it; 0 to 1.
    pub min_score: f64,
    /// Stages by name, true or false, unless a query overrides them.
    #[serde(deserialize_with = "over_defaults")]
    pub stages: BTreeMap<String, bool>,
}

impl Default for RecallConfig {
    fn default() -> Self {
        Self {
            fusion: Fusion::default().name().to_owned(),
            embed_deadline: Period::millis(25),
            cached_queries: 4_096,
            min_score: 0.0,
            stages: default_stages(),
        }
    }
}

impl RecallConfig {
    /// How words and vectors are combined.
    pub fn fusion(&self) -> Fusion {
        self.fusion.parse().unwrap_or_default()
    }

    /// The enabled stages.
    pub fn stages(&self) -> Stages {
        Stages::default().switched(&self.stages).unwrap_or_default()
    }

    pub(super) fn check(&self, problems: &mut Problems) {
        if let Err(problem) = self.fusion.parse::<Fusion>() {
            problems.add(format!("recall.fusion {problem}"));
        }
        if let Err(problem) = Stages::default().switched(&self.stages) {
            problems.add(format!("recall.stages: {problem}"));
        }
        problems.range("recall.embed_deadline", self.embed_deadline, Period::millis(1)..=Period::seconds(10));
        problems.range("recall.cached_queries", self.cached_queries, 0..=MAX_CACHED_QUERIES);
        problems.range("recall.min_score", self.min_score, 0.0..=1.0);
    }
}

/// All stages that can be switched.
fn default_stages() -> BTreeMap<String, bool> {
    let switched = |stage: &&Stage| stage.switch() != Switch::Always;
    let stages = Stage::ALL.iter().filter(switched);
    stages.map(|stage| (stage.name().to_owned(), stage.switch() == Switch::On)).collect()
}

/// The stages in a file, merged over the defaults.
fn over_defaults<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, bool>, D::Error> {
    let mut stages = default_stages();
    stages.extend(BTreeMap::<String, bool>::deserialize(deserializer)?);
    Ok(stages)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(config: &RecallConfig) -> Vec<String> {
        let mut problems = Problems::default();
        config.check(&mut problems);
        problems.0
    }

    #[test]
    fn bounds_are_checked_on_both_sides() {
        for embed_deadline in [Period::millis(1), Period::seconds(10)] {
            for (fusion, cached_queries) in [("sum", 0), ("rrf", MAX_CACHED_QUERIES)] {
                let min_score = f64::from(u8::from(cached_queries > 0));
                let fusion = fusion.to_owned();
                let good =
                    RecallConfig { fusion, embed_deadline, cached_queries, min_score, ..RecallConfig::default() };
                assert!(problems(&good).is_empty(), "{good:?}");
                assert_eq!(good.fusion().name(), good.fusion);
            }
        }
        for embed_deadline in [Period::millis(0), Period::millis(10_001)] {
            let cached_queries = MAX_CACHED_QUERIES + 1;
            let stages = BTreeMap::from([("fuse".to_owned(), false)]);
            let bad = RecallConfig { fusion: "max".to_owned(), embed_deadline, cached_queries, min_score: 1.1, stages };
            let found = problems(&bad);
            for key in [
                "recall.fusion \"max\" is not known",
                "recall.embed_deadline",
                "recall.cached_queries",
                "recall.min_score",
                "recall.stages: \"fuse\" is not a stage that can be switched; those are rewrite, ",
            ] {
                assert!(found.iter().any(|problem| problem.contains(key)), "{key} is not in {found:?}");
            }
            assert_eq!(found.len(), 5, "{found:?}");
        }
    }
}
