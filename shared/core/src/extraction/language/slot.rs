//! Slots of one value that the words of a statement fill, such as where a person lives.

use super::{MatchStart, Pattern};
use crate::extraction::clauses::Stated;
use crate::extraction::tokens::Token;

/// Statements that fill a slot.
#[derive(Debug)]
pub(in crate::extraction) struct SlotRule {
    /// The slot; `*` stands for the last word of the match.
    pub key: String,
    /// Whether it is a slot of the relative whom the match names.
    pub kin: bool,
    pub patterns: Vec<Pattern>,
}

impl SlotRule {
    /// Parses a rule from the words after `slot`.
    pub(super) fn parse<'w>(mut words: impl Iterator<Item = &'w str>) -> Result<Self, String> {
        let key = words.next().ok_or("names no slot")?.to_owned();
        let kin = match words.next() {
            None => false,
            Some("kin") => true,
            Some(word) => return Err(format!("{word} is not an option of a slot")),
        };
        Ok(Self { key, kin, patterns: Vec::new() })
    }
}

/// The words of the first match of some patterns in what a sentence states; `starts` are the beginnings of its clauses.
pub(in crate::extraction) fn find(
    patterns: &[Pattern],
    tokens: &[Token],
    stated: &Stated,
    starts: &[usize],
) -> Option<(usize, usize)> {
    let tokens = tokens.get(..stated.to)?;
    patterns.iter().find_map(|pattern| {
        let here = |at: usize| pattern.fits(tokens, at).map(|length| (at, at + length));
        match pattern.match_start {
            MatchStart::Clause => starts.iter().copied().find_map(here),
            MatchStart::Sentence => here(stated.from),
            MatchStart::Anywhere => (stated.from..tokens.len()).find_map(here),
        }
    })
}
