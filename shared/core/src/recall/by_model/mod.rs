//! What models may do for recall: a language model rephrases a query, which is searched beside the original; it or a
//! cross-encoder reorders the results. They add no result, and no word to a result. If one does not answer in time,
//! recall continues without it.

mod alternatives;
mod rank;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::ports::{NoAnswer, NoScores};

pub(crate) use alternatives::{Asked, MOST_SUBJECTS};
pub(crate) use rank::{MOST_RANKED, ask_for_order, by_scores, order, scored_part};

/// The most bytes of a query shown to a model.
const QUERY_BYTES: usize = 2_000;

/// Why a stage continued without a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Without {
    /// No language model is configured.
    NoModel,
    /// Neither a cross-encoder nor a language model is configured.
    NoRanker,
    /// There was nothing that a model could help with.
    NotNeeded,
    /// The language model did not answer.
    NoAnswer(NoAnswer),
    /// The cross-encoder gave no scores.
    NoScores(NoScores),
    /// The language model's answer was malformed.
    Unusable,
}

impl fmt::Display for Without {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoModel => "not used: no language model is configured",
            Self::NoRanker => "not used: no cross-encoder and no language model is configured",
            Self::NotNeeded => "not used: nothing to ask",
            Self::NoAnswer(NoAnswer::Budget) => "not used: the model's calls of the day are used up",
            Self::NoAnswer(NoAnswer::Resting) => "not used: the model failed lately and is left alone",
            Self::NoAnswer(NoAnswer::Failed) => "not used: the model did not answer, or not in time",
            Self::NoScores(NoScores::Unavailable) => "not used: the cross-encoder did not answer, or failed",
            Self::NoScores(NoScores::TimedOut) => "not used: the cross-encoder did not answer in time",
            Self::Unusable => "not used: the model's answer is none",
        })
    }
}
