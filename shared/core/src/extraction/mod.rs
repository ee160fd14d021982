//! What a message tells that is worth keeping, by rules alone: facts, preferences, decisions and knowledge, each with the
//! sentence that says it, and what was left out and why.
//!
//! Pure: [`extract`] is a function of a message, the messages before it and the words of a language. It stores nothing, asks no
//! model (what one proposes, `by_model` checks), and prefers to leave out what it does not understand. What is general for all languages is code, one stage a file;
//! words and rules are data, one file a language (`words/en.txt` says how they are written).

mod blocks;
pub(crate) mod by_model;
mod candidate;
mod clauses;
mod content;
mod correction;
mod find;
mod guards;
mod language;
mod outcome;
mod pronouns;
mod rewrite;
mod said;
mod secrets;
mod statement;
mod statement_row;
#[cfg(test)]
mod tests;
mod tokens;
mod unread;
mod weight;
mod when;

pub use candidate::{Candidate, Class, Extraction, LeftOut, Nature, Period, ValidTime, Why};
pub use find::extract;
pub use language::{Invalid, Language};
pub use outcome::{Mode, ReadBy, ReadTurn};
pub use said::{BEFORE, Options, Said};
pub use secrets::{MASK, mask, secrets};
pub use statement_row::{Domain, StatementRow};
pub use unread::UnreadTurn;
