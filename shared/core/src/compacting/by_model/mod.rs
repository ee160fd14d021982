//! A summary in a language model's words. The model proposes; a line counts when it quotes the turn that it sums up word for word,
//! and says nothing that this turn does not say. Where too few do, the sentences that carry most stand, as without a model.

mod by;
mod check;
mod task;
#[cfg(test)]
mod tests;

use super::Spoken;

pub use by::SummarizedBy;
pub(crate) use check::summary;
pub(crate) use task::task;

/// Fewest bytes of what was said that a model is asked about; less is quoted as it is.
const FEWEST_BYTES: usize = 600;

/// Whether a model is asked about turns: not about sensitive ones.
pub(crate) fn is_worth_asking(said: &[Spoken<'_>], sensitive: bool) -> bool {
    !sensitive && said.iter().map(|one| one.text.len()).sum::<usize>() >= FEWEST_BYTES
}
