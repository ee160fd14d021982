//! Importance of a candidate: the rule's, plus one each for strong feelings or great events, corrections and emphatic
//! instructions; repetition raises it later.

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

/// The importance of a statement that a person has repeated so often: the first, second, fourth and eighth repetition
/// raise it by one, to 10 at most.
pub(crate) const fn said_again(importance: i32, repetitions: usize) -> i32 {
    let raises = matches!(repetitions, 1 | 2 | 4 | 8) && importance < MAX_IMPORTANCE;
    if raises { importance + 1 } else { importance }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetition_raises_importance_ever_more_slowly_and_never_above_ten() {
        let after = |first: i32, times: usize| (1..=times).fold(first, said_again);
        assert_eq!([0, 1, 2, 3, 4, 8, 100].map(|times| after(5, times)), [5, 6, 7, 7, 8, 9, 9]);
        assert_eq!(after(9, 100), 10);
    }
}
