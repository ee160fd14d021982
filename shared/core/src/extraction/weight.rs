//! How important a candidate is: what the rule says, more for strong words, instructions and corrections.

use super::candidate::Nature;
use super::language::{Language, Rule};
use super::tokens::Token;
use crate::bounds::MAX_IMPORTANCE;

/// From 1 to 10.
pub(super) fn importance(language: &Language, rule: &Rule, clause: &[Token], text: &str, corrects: bool) -> u8 {
    let strong = clause.iter().any(|token| token.is(language.known().strong));
    let mut importance = u32::from(rule.importance) + u32::from(strong) + u32::from(corrects);
    if rule.nature == Nature::Instruction && text.contains('!') {
        importance += 1;
    }
    u8::try_from(importance).unwrap_or(u8::MAX).clamp(1, u8::try_from(MAX_IMPORTANCE).unwrap_or(10))
}

/// How many words of a clause have a topic.
pub(super) fn detail(language: &Language, clause: &[Token]) -> usize {
    let known = language.known();
    let empty = known.stop | known.vague | known.filler | known.conj | known.adv;
    let has_topic = |token: &&Token| !token.is(empty) && (token.number || token.range.len() >= 2);
    clause.iter().filter(has_topic).count()
}

/// Whether the clause at `start` names a time, a number or, behind its first word, a name; or what leads to it from `from` on
/// a time or a number.
pub(super) fn is_concrete(language: &Language, words: &[Token], from: usize, start: usize) -> bool {
    let known = language.known();
    let named = |token: &Token| token.capital && !token.is(known.first | known.stop);
    words[from..].iter().any(|token| token.number || token.is(known.time | known.month | known.weekday))
        || words[start..].iter().skip(1).any(named)
}
