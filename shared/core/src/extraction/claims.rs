//! Splits a sentence into claims: "I live in Oslo and I have two cats" says two things, each with a life of its own, and
//! "I live in Oslo, where can I swim?" states one before it asks.

use std::ops::Range;

use super::clauses::{aside, stated};
use super::language::Language;
use super::tokens::{Before, Token};

/// Fewest words of a claim: "I'm vegan" are three.
const FEWEST: usize = 3;
/// Words behind a colon among which a person is named.
const PERSON_WITHIN: usize = 3;
/// Most claims of a sentence.
const MOST: usize = 4;

/// Returns the byte ranges of what a sentence says, in order: its claims, and what it asks; the whole sentence if it says one
/// thing. Each comes with the statement that it is a clause of, without a frame such as "For the novel:". A part may turn out
/// to state nothing.
pub(super) fn claims(
    language: &Language,
    text: &str,
    tokens: &[Token],
    span: &Range<usize>,
) -> Vec<(Range<usize>, Range<usize>)> {
    if let Some(colon) = frame(language, text, tokens) {
        let (before, after) = tokens.split_at(colon);
        let at = after[0].range.start;
        let framed = claims(language, text, after, &(at..span.end));
        let frame = trimmed(text, span.start..before[colon - 1].range.end + 1);
        return frame.map(|frame| (frame.clone(), frame)).into_iter().chain(framed).collect();
    }
    let asks = is_question(text, span);
    let first = stated(language, tokens, asks);
    let asked = first.as_ref().map_or(0, |first| first.to);
    if asked == tokens.len() {
        let parts = if asks { Vec::new() } else { parts(language, tokens, span) };
        let parts = if parts.is_empty() { vec![span.clone()] } else { parts };
        return parts.into_iter().map(|part| (part, span.clone())).collect();
    }
    let mut cuts = Vec::new();
    if asked > 0 {
        cuts.push(tokens[asked - 1].range.end);
    }
    if let Some(aside) = aside(language, tokens, asked) {
        cuts.push(tokens[aside.from].range.start);
        cuts.extend(tokens.get(aside.to).map(|_| tokens[aside.to - 1].range.end));
    }
    let starts: Vec<usize> = std::iter::once(span.start).chain(cuts).collect();
    let ends = starts.iter().skip(1).copied().chain([span.end]);
    let parts = starts.iter().copied().zip(ends).filter_map(|(start, end)| trimmed(text, start..end));
    parts.map(|part| (part.clone(), part)).collect()
}

/// The word behind a colon that introduces what a person says: "For the novel: I live in a lighthouse." Whose it is, the
/// words before the colon say.
fn frame(language: &Language, text: &str, tokens: &[Token]) -> Option<usize> {
    let known = language.known();
    let person = known.first | known.mine | known.plural;
    (1..tokens.len()).find(|at| {
        let gap = text.get(tokens[at - 1].range.end..tokens[*at].range.start).unwrap_or_default();
        gap.starts_with(": ") && tokens[*at..].iter().take(PERSON_WITHIN).any(|token| token.is(person))
    })
}

/// A part without white space and commas at its ends.
fn trimmed(text: &str, part: Range<usize>) -> Option<Range<usize>> {
    let inside = text.get(part.clone())?;
    let separates = |c: char| c.is_whitespace() || c == ',' || c == ';';
    let start = part.start + inside.len() - inside.trim_start_matches(separates).len();
    let end = part.end - (inside.len() - inside.trim_end().len());
    (start < end).then_some(start..end)
}

fn is_question(text: &str, span: &Range<usize>) -> bool {
    let sentence = text.get(span.clone()).unwrap_or_default();
    let sentence = sentence.trim_end_matches(['"', '\'', '”', ')', '*', ' ', '!']);
    sentence.ends_with(['?', '？', '؟'])
}

/// Returns the byte ranges of the parts of a sentence that begin with their own first person behind a conjunction; none if there
/// is only one part.
fn parts(language: &Language, tokens: &[Token], span: &Range<usize>) -> Vec<Range<usize>> {
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
