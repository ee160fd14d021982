//! Splits a sentence into claims: "I live in Oslo and I have two cats" says two things, each with a life of its own.

use std::ops::Range;

use super::language::Language;
use super::tokens::{Before, Token};

/// Fewest words of a claim: "I'm vegan" are three.
const FEWEST: usize = 3;
/// Most claims of a sentence.
const MOST: usize = 4;

/// Returns the byte ranges of the parts of a sentence that begin with their own first person behind a conjunction; none if there
/// is only one part. A part may turn out to state nothing.
pub(super) fn parts(language: &Language, tokens: &[Token], span: &Range<usize>) -> Vec<Range<usize>> {
    let known = language.known();
    let person = known.first | known.mine | known.plural;
    // Behind a frame such as "in my dream" or "for the novel:" each part alone would say what nobody meant.
    let opens = tokens.iter().find(|token| !token.is(known.filler | known.conj));
    if !opens.is_some_and(|token| token.is(person)) {
        return Vec::new();
    }
    let begins = |at: &usize| {
        let joined = tokens[*at - 1].is(known.conj) && !tokens[*at - 1].is(person);
        joined && tokens[*at].is(person) && tokens[*at].before < Before::Stop
    };
    let mut starts = vec![0];
    for at in (FEWEST..tokens.len()).filter(begins) {
        let last = starts.last().copied().unwrap_or_default();
        // The conjunction belongs to neither part.
        if at - 1 - last >= FEWEST && tokens.len() - at >= FEWEST && starts.len() < MOST {
            starts.push(at);
        }
    }
    if starts.len() < 2 {
        return Vec::new();
    }
    let ends = starts[1..].iter().map(|next| tokens[next - 2].range.end).chain([span.end]);
    let firsts = starts.iter().map(|at| if *at == 0 { span.start } else { tokens[*at].range.start });
    firsts.zip(ends).map(|(start, end)| start..end).collect()
}
