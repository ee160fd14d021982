//! Merging (B-3): which records say the same, so that one may take their place, and what that one says.
//!
//! Pure, and without a language model: the text is made of the sentences of the sources, and a [checker](holds_details) that knows
//! nothing of how it was made proves that no name, number, date or negation is missing. Precision before recall: what would make two
//! texts say different things is looked for first.

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
