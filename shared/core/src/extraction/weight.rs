//! Importance of a candidate: the rule's, plus one each for strong words, corrections and emphatic instructions.

use super::candidate::Nature;
use super::language::{Language, Rule};
use super::tokens::Token;
use crate::bounds::MAX_IMPORTANCE;

/// Computes the importance, from 1 to 10.
pub(super) fn importance(language: &Language, rule: &Rule, clause: &[Token], text: &str, corrects: bool) -> u8 {
    let strong = clause.iter().any(|token| token.is(language.known().strong));
    let mut importance = u32::from(rule.importance) + u32::from(strong) + u32::from(corrects);
    if rule.nature == Nature::Instruction && text.contains('!') {
        importance += 1;
    }
    u8::try_from(importance).unwrap_or(u8::MAX).clamp(1, u8::try_from(MAX_IMPORTANCE).unwrap_or(10))
}

/// The number of content words in a clause.
pub(super) fn detail(language: &Language, clause: &[Token]) -> usize {
    let known = language.known();
    let empty = known.stop | known.vague | known.filler | known.conj | known.adv;
    let has_topic = |token: &&Token| !token.is(empty) && (token.number || token.range.len() >= 2);
    clause.iter().filter(has_topic).count()
}

/// Reports whether the clause at `start` names a time, a number or, after its first word, a name; a time or number
/// from `from` on also counts.
pub(super) fn is_concrete(language: &Language, words: &[Token], from: usize, start: usize) -> bool {
    let known = language.known();
    let named = |token: &Token| token.capital && !token.is(known.first | known.stop);
    words[from..].iter().any(|token| token.number || token.is(known.time | known.month | known.weekday))
        || words[start..].iter().skip(1).any(named)
}
