//! A rule of a language: what a clause that it fits says.

use super::Pattern;
use crate::extraction::candidate::{Class, Nature};
use crate::memory::Polarity;

/// Whom a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::extraction) enum About {
    /// Who speaks.
    Speaker,
    /// The relative or friend that the match names.
    Kin,
    /// The first thing that the match names.
    Thing,
    /// Who is named at the start.
    Named,
    /// Whom a pronoun at the start means.
    Pronoun,
}

/// What a clause says that fits one of the patterns.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word that a rule may have")]
pub(in crate::extraction) struct Rule {
    pub class: Class,
    pub nature: Nature,
    /// From 1 to 10, before weighing.
    pub importance: u8,
    /// In [0, 1].
    pub confidence: f64,
    /// Fewest words with a topic from the start of the match to the end of the clause.
    pub detail: usize,
    /// Names what only one statement can be true of; `*` stands for the last word of the match.
    pub key: Option<String>,
    pub about: About,
    pub polarity: Option<Polarity>,
    /// Whether it says something where it is negated.
    pub negated: bool,
    /// Whether it says something behind "if" and the like.
    pub hypothetical: bool,
    /// Whether it holds for what assistants say of themselves.
    pub assistant: bool,
    /// Whether what fits belongs to health, religion and the like.
    pub sensitive: bool,
    /// Whether the clause must name a time, a number or a name.
    pub concrete: bool,
    /// Whether the clause is kept without the words that match, as behind "remember that".
    pub leads: bool,
    pub patterns: Vec<Pattern>,
}
