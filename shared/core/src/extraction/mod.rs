//! Extracts statements from a message: facts, preferences, decisions and knowledge, each with the sentence that states
//! it, and the parts left out with their reasons.
//!
//! Pure: [`extract`] is a function of a message, the messages before it and the words of a language. The trained judge of
//! `kimberly-language` decides what is kept and whose it is (`judged`); rules do what is exact: secrets, code, claims,
//! slots, times and the wording of a statement. Words are data, one file per language (`words/en.txt` describes the
//! format). `by_model` checks the proposals of a language model.

mod abbreviations;
mod blocks;
pub(crate) mod by_model;
mod candidate;
mod claims;
mod clauses;
mod content;
mod correction;
mod courtesy;
#[cfg(test)]
mod documented_tests;
mod explained;
mod find;
mod judged;
mod language;
mod outcome;
mod pronouns;
mod repeated;
mod rewrite;
mod said;
mod secrets;
mod statement;
mod statement_row;
#[cfg(test)]
mod tests;
mod time_word;
mod tokens;
mod unread;
mod when;

pub use candidate::{Candidate, Class, Extraction, LeftOut, Nature, Period, ValidTime, Why};
pub use courtesy::is_courtesy;
pub use explained::{Explained, explain};
pub use find::extract;
pub use language::{Invalid, Language};
pub use outcome::{Mode, ReadBy, ReadTurn};
pub(crate) use repeated::said_again;
pub use said::{BEFORE, Options, Said};
pub use secrets::{MASK, mask, secrets};
pub use statement_row::{Domain, StatementRow};
pub use unread::UnreadTurn;
