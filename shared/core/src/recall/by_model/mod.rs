//! What a language model may do for recall: put a query into other words, which are searched beside its own, and put what was found
//! in another order. It adds no result and no word to one; where it does not answer in time, recall goes on without it.

mod alternatives;
mod rank;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::ports::NoAnswer;

pub(crate) use alternatives::{Asked, MOST_SUBJECTS};
pub(crate) use rank::{MOST_RANKED, ask_for_order, order};

/// The most of a query that a model sees, in bytes.
const QUERY_BYTES: usize = 2_000;

/// Why a stage went on without the language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Without {
    /// None is configured.
    NoModel,
    /// There is nothing that it could help with.
    NotNeeded,
    /// It did not answer.
    NoAnswer(NoAnswer),
    /// Its answer is none.
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
