//! Compacting of a session: which turns make the next summary, and their most important sentences, each with its
//! speaker.
//!
//! Pure: [`summarize`] takes sentences verbatim and adds no word; `by_model` checks what a model proposes instead.
//! `usecases::compact_session` reads turns and writes summaries.

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
