//! `score`: scores each memory (K-3).

use async_trait::async_trait;

use super::{Scored, ScoringItem, Step, Trigger};
use crate::scoring::Scorer;

/// Scores the memories of a page.
#[derive(Clone, Copy, Debug)]
pub struct Score;

#[async_trait]
impl Step for Score {
    fn name(&self) -> &'static str {
        "score"
    }

    fn runs_on(&self, trigger: Trigger) -> bool {
        matches!(trigger, Trigger::Schedule | Trigger::Quota | Trigger::Request)
    }

    fn reads(&self) -> bool {
        true
    }

    fn read(&self, scorer: &mut Scorer, page: &[ScoringItem]) -> Vec<Scored> {
        page.iter().map(|item| Scored { seq: item.seq, record: scorer.score(item) }).collect()
    }
}
