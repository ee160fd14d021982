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

/// The statement of a clause that matches one of the patterns.
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

impl Rule {
    /// Parses a rule from the words after its class.
    pub(super) fn parse<'w>(class: Class, mut words: impl Iterator<Item = &'w str>) -> Result<Self, String> {
        let importance = words.next().and_then(|word| word.parse().ok()).filter(|given| (1..=10).contains(given));
        let confidence = words.next().and_then(|word| word.parse().ok()).filter(|given| (0.0..=1.0).contains(given));
        let detail = words.next().and_then(|word| word.parse().ok());
        let (Some(importance), Some(confidence), Some(detail)) = (importance, confidence, detail) else {
            return Err("is not `class importance confidence detail`".to_owned());
        };
        let mut rule = Self {
            class,
            nature: Nature::State,
            importance,
            confidence,
            detail,
            key: None,
            about: About::Speaker,
            polarity: None,
            negated: false,
            hypothetical: false,
            assistant: false,
            sensitive: false,
            concrete: false,
            leads: false,
            patterns: Vec::new(),
        };
        for word in words {
            rule.option(word)?;
        }
        Ok(rule)
    }

    fn option(&mut self, word: &str) -> Result<(), String> {
        match word {
            "liked" => self.polarity = Some(Polarity::Positive),
            "disliked" => self.polarity = Some(Polarity::Negative),
            "kin" => self.about = About::Kin,
            "thing" => self.about = About::Thing,
            "pronoun" => self.about = About::Pronoun,
            "named" => self.about = About::Named,
            "negated" => self.negated = true,
            "hypothetical" => self.hypothetical = true,
            "assistant" => self.assistant = true,
            "sensitive" => self.sensitive = true,
            "concrete" => self.concrete = true,
            "leads" => self.leads = true,
            _ => match (word.strip_prefix("key="), Nature::from_name(word)) {
                (Some(key), _) if !key.is_empty() => self.key = Some(key.to_owned()),
                (_, Some(nature)) => self.nature = nature,
                _ => return Err(format!("{word} is not an option of a rule")),
            },
        }
        Ok(())
    }
}
