//! What a language model may do for recall: rephrase a query, which is searched beside the original, and reorder the
//! results. It adds no result, and no word to a result. If it does not answer in time, recall continues without it.

mod alternatives;
mod rank;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::ports::NoAnswer;

pub(crate) use alternatives::{Asked, MOST_SUBJECTS};
pub(crate) use rank::{MOST_RANKED, ask_for_order, order};

/// The most bytes of a query shown to a model.
const QUERY_BYTES: usize = 2_000;

/// Why a stage continued without the language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Without {
    /// No model is configured.
    NoModel,
    /// There was nothing that a model could help with.
    NotNeeded,
    /// The model did not answer.
    NoAnswer(NoAnswer),
    /// The model's answer was malformed.
    Unusable,
}

impl fmt::Display for Without {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoModel => "not used: no language model is configured",
            Self::NotNeeded => "not used: nothing to ask",
            Self::NoAnswer(NoAnswer::Budget) => "not used: the model's calls of the day are used up",
            Self::NoAnswer(NoAnswer::Resting) => "not used: the model failed lately and is left alone",
            Self::NoAnswer(NoAnswer::Failed) => "not used: the model did not answer, or not in time",
            Self::Unusable => "not used: the model's answer is none",
        })
    }
}
