//! A rule of a language: what a matching clause states.

use super::Pattern;
use crate::extraction::candidate::{Class, Nature};
use crate::memory::Polarity;

/// The subject of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::extraction) enum About {
    /// The speaker.
    Speaker,
    /// The relative or friend that the match names.
    Kin,
    /// The first thing that the match names.
    Thing,
    /// The person named at the start.
    Named,
    /// The person that a pronoun at the start refers to.
    Pronoun,
}

/// What a clause states that matches one of the patterns.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word that a rule may have")]
pub(in crate::extraction) struct Rule {
    pub class: Class,
    pub nature: Nature,
    /// From 1 to 10, before adjustments.
    pub importance: u8,
    /// Confidence, in [0, 1].
    pub confidence: f64,
    /// Fewest content words from the start of the match to the end of the clause.
    pub detail: usize,
    /// Key of a slot that holds one true statement at a time; `*` stands for the last word of the match.
    pub key: Option<String>,
    pub about: About,
    pub polarity: Option<Polarity>,
    /// Whether it applies to negated statements.
    pub negated: bool,
    /// Whether it applies after "if" and similar words.
    pub hypothetical: bool,
    /// Whether it applies to assistants' statements about themselves.
    pub assistant: bool,
    /// Whether matches are about health, religion or similar topics.
    pub sensitive: bool,
    /// Whether the clause must name a time, a number or a name.
    pub concrete: bool,
    /// Whether the clause is kept without the matched words, as after "remember that".
    pub leads: bool,
    pub patterns: Vec<Pattern>,
}
