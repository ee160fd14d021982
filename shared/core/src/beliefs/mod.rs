//! What records claim, which claims exclude each other, and which of two is believed less.
//!
//! A record is read for its claims once, by rules and words of a data file; a [`ClaimRow`] keeps of each what it is about, as a digest, so
//! that the night compares those records alone that may contradict each other. Pure; nothing is derived from sensitive records. What
//! the rules do not understand claims nothing: a fact that is ended by mistake is worse than a contradiction that stands.

mod claim;
mod claim_row;
mod conflict;
mod done;
mod read;
mod sentence;
mod state;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub use claim_row::ClaimRow;
pub use conflict::{Conflict, GAP, conflicts};
