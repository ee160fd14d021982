//! What of a session a summary keeps: which turns make the next one, and the sentences of them that carry most, each with who
//! said it.
//!
//! Pure: [`summarize`] takes sentences as they were said and adds no word of its own; what a model proposes instead, `by_model` checks.
//! Reading turns and writing summaries is `usecases::compact_session`.

mod batch;
mod brief;
pub(crate) mod by_model;
mod covers;
mod sentence;
pub(crate) mod spoken;
mod summarize;
#[cfg(test)]
mod tests;
mod weigh;

pub use batch::{Batches, asks, next_batch};
pub use brief::brief;
pub use by_model::SummarizedBy;
pub use covers::Covers;
pub use spoken::{Spoken, noted, spoken};
pub use summarize::{room, summarize};
