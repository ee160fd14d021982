//! Aligns the words of two texts, and finds words that stand in the place of others.

use std::collections::BTreeSet;

use super::tokens::{Class, Text, Token};
use super::words::words_of;

/// Two words are related if they share at least this many first letters, and all but two of the shorter one's, and their
/// lengths differ by at most this many: "decide", "decision".
const FAMILY: usize = 4;

/// Reports whether most of what both have comes in the same order, and no word is replaced by another.
pub(super) fn aligned(one: &Text, other: &Text, shared: &BTreeSet<&str>) -> bool {
    let common = common(&one.tokens, &other.tokens);
    let content = common.iter().filter(|(at, _)| one.tokens.get(*at).is_some_and(|token| token.class.is_content()));
    if !shared.is_empty() && content.count() * 2 <= shared.len() {
        return false;
    }
    let (mut from, mut theirs_from) = (0, 0);
    for (to, theirs_to) in common.into_iter().chain([(one.tokens.len(), other.tokens.len())]) {
        let gap = one.tokens.get(from..to).unwrap_or_default();
        let theirs = other.tokens.get(theirs_from..theirs_to).unwrap_or_default();
        if replaces(gap, theirs, shared) {
            return false;
        }
        (from, theirs_from) = (to + 1, theirs_to + 1);
    }
    true
}

/// Reports whether words of a gap stand in the place of other words.
fn replaces<'t>(gap: &'t [Token], theirs: &'t [Token], shared: &BTreeSet<&str>) -> bool {
    let own = |tokens: &'t [Token]| {
        let is_own = |token: &&Token| token.class.is_content() && !shared.contains(token.word.as_str());
        tokens.iter().filter(is_own).collect::<Vec<_>>()
    };
    let (ours, others) = (own(gap), own(theirs));
    let known = |words: &[&Token], by: &[&Token]| words.iter().all(|word| by.iter().any(|one| is_family(word, one)));
    let same = known(&ours, &others) || known(&others, &ours);
    let opposite = |token: &Token| theirs.iter().any(|one| words_of().are_opposites(&token.folded, &one.folded));
    (!ours.is_empty() && !others.is_empty() && !same) || gap.iter().any(opposite)
}

/// Reports whether two words are related. Names never are: "Paul", "Paula".
fn is_family(one: &Token, other: &Token) -> bool {
    let named = one.class == Class::Name || other.class == Class::Name || (one.is_capital && other.is_capital);
    let (ours, theirs) = (one.word.chars().count(), other.word.chars().count());
    let common = one.word.chars().zip(other.word.chars()).take_while(|(a, b)| a == b).count();
    let alike = common >= FAMILY && common + 2 >= ours.min(theirs) && ours.abs_diff(theirs) <= FAMILY;
    alike && !named && !is_turned(&one.folded, &other.folded) && !is_turned(&other.folded, &one.folded)
}

/// Reports whether one word acts on the other: "employer", "employee".
fn is_turned(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim_end_matches('s'), other.trim_end_matches('s'));
    (one.ends_with("er") || one.ends_with("or")) && other.ends_with("ee")
}

/// Returns the longest common subsequence of words, as index pairs.
fn common(one: &[Token], other: &[Token]) -> Vec<(usize, usize)> {
    let width = other.len() + 1;
    let mut best = vec![0_u32; (one.len() + 1) * width];
    let at = |best: &[u32], i: usize, j: usize| best.get(i * width + j).copied().unwrap_or_default();
    for (i, ours) in one.iter().enumerate().rev() {
        for (j, theirs) in other.iter().enumerate().rev() {
            let length = if ours.word == theirs.word {
                at(&best, i + 1, j + 1) + 1
            } else {
                at(&best, i + 1, j).max(at(&best, i, j + 1))
            };
            if let Some(cell) = best.get_mut(i * width + j) {
                *cell = length;
            }
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while let (Some(ours), Some(theirs)) = (one.get(i), other.get(j)) {
        if ours.word == theirs.word {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if at(&best, i + 1, j) >= at(&best, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
