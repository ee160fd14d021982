//! Merging (B-3): finds records that say the same, and makes one record that replaces them.
//!
//! Pure, and without a language model. The text consists of sentences of the sources. A [checker](holds_details) that
//! is independent of how it was made proves that no name, number, date or negation is missing. Precision before recall:
//! differences between two texts are looked for first.

mod alignment;
mod checker;
mod cluster;
mod made;
mod note;
mod pair;
mod tokens;
mod union;
mod words;

pub use checker::holds_details;
pub use cluster::clusters;
pub use made::merged;
pub use note::{Note, mergeable};
