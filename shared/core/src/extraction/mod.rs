//! Extracts statements from a message by rules: facts, preferences, decisions and knowledge, each with the
//! sentence that states it, and the parts left out with their reasons.
//!
//! Pure: [`extract`] is a function of a message, the messages before it and the words of a language. It stores
//! nothing and uses no model (`by_model` checks a model's proposals), and leaves out what it does not understand.
//! Code is independent of the language, one stage per file; words and rules are data, one file per language
//! (`words/en.txt` describes the format).

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
mod find;
mod guards;
mod language;
mod outcome;
#[cfg(test)]
mod precision_tests;
mod pronouns;
mod quotation;
mod rewrite;
mod said;
mod secrets;
mod speech;
mod start;
mod statement;
mod statement_row;
#[cfg(test)]
mod tests;
mod time_word;
mod tokens;
mod unread;
mod weight;
mod when;

pub use candidate::{Candidate, Class, Extraction, LeftOut, Nature, Period, ValidTime, Why};
pub use courtesy::is_courtesy;
pub use find::extract;
pub use language::{Invalid, Language};
pub use outcome::{Mode, ReadBy, ReadTurn};
pub use said::{BEFORE, Options, Said};
pub use secrets::{MASK, mask, secrets};
pub use statement_row::{Domain, StatementRow};
pub use unread::UnreadTurn;
pub(crate) use weight::said_again;
