//! Claims of records, which of them exclude each other, and which of two contradicting records is superseded.
//!
//! Each record is read for claims once, by rules and the words of a data file. A [`ClaimRow`] stores a digest of each
//! claim's subject, so that the nightly step compares only records that may contradict each other. Pure; nothing is
//! derived from sensitive records. Text that the rules do not understand yields no claim: ending a fact by mistake is
//! worse than leaving a contradiction.

mod claim;
mod claim_row;
mod conflict;
mod done;
mod ended;
mod holds;
mod implied;
mod read;
mod sentence;
mod sort;
mod state;
mod subject;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub use claim_row::ClaimRow;
pub use conflict::{Conflict, GAP, conflicts};
