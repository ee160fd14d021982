//! Summaries worded by a language model. The model proposes lines. A line counts if it quotes its turn verbatim, and
//! states nothing that this turn does not. If too few lines do, the summary by rules stays, as without a model.

mod by;
mod check;
mod task;
#[cfg(test)]
mod tests;

use super::Spoken;

pub use by::SummarizedBy;
pub(crate) use check::summary;
pub(crate) use task::task;

/// Fewest bytes of text that a model is asked about; less is quoted as it is.
const FEWEST_BYTES: usize = 600;

/// Reports whether a model is asked about turns; never about sensitive ones.
pub(crate) fn is_worth_asking(said: &[Spoken<'_>], sensitive: bool) -> bool {
    !sensitive && said.iter().map(|one| one.text.len()).sum::<usize>() >= FEWEST_BYTES
}
