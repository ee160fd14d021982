//! Guards that reject a match: hypothetical, negated, reported and polite sentences.

use super::candidate::Why;
use super::clauses::is_boundary;
use super::language::{Language, Rule};
use super::tokens::{Before, Token};

/// Least confidence of a rule that also counts among words of exercises and in asides.
pub(super) const SURE: f64 = 0.85;
/// Most words of a sentence that only greets, thanks or praises.
const LONGEST_GREETING: usize = 12;

/// Returns why a match does not count: `tokens` are the words of the sentence, `from` is where its statement begins,
/// and `start..end` are the matched words.
pub(super) fn guard(
    language: &Language,
    rule: &Rule,
    tokens: &[Token],
    from: usize,
    (start, end): (usize, usize),
) -> Option<Why> {
    let known = language.known();
    let upto = &tokens[..end.min(tokens.len())];
    if !rule.hypothetical && upto[from..].iter().any(|token| token.is(known.hypothetical)) {
        return Some(Why::Hypothetical);
    }
    let behind = tokens.get(end).filter(|token| token.before < Before::Pause);
    let mut near = tokens[start.saturating_sub(1)..end.min(tokens.len())].iter().chain(behind);
    if !rule.negated && near.any(|token| token.is(known.negation)) {
        return Some(Why::Negated);
    }
    let quotes = upto[..=start.min(upto.len().saturating_sub(1))].iter().filter(|token| token.before == Before::Quote);
    let reported = start > 0 && tokens[start - 1].is(known.said);
    if start > from && tokens[start - 1].is(known.opens) {
        // "I never said that …", "I don't think …", "he says that …": the main clause denies the statement or
        // attributes it to another.
        let governs = tokens[from..start].iter().rev().take_while(|token| token.before < Before::Pause);
        if governs.clone().any(|token| token.is(known.negation | known.said)) {
            return Some(Why::Quoted);
        }
        // "I want to make sure that my …", "until I have …": it is not so yet.
        let doubts = rule.confidence < SURE
            && tokens[start - 1].is(known.pointing)
            && governs.clone().any(|token| token.is(known.doubting));
        let open = tokens[start - 1].is(known.pending) || doubts;
        if open {
            return Some(Why::Hypothetical);
        }
    }
    if points(language, tokens, start, end, rule.confidence < SURE) {
        return Some(Why::Nothing);
    }
    if rule.confidence < SURE && start > from {
        // "as I said"; "I don't feel like I …", where the main clause denies what follows.
        let main = (from + 1..=start).rev().find(|at| is_boundary(language, tokens, *at)).unwrap_or(from);
        // "Here's a boat I built": it shows something.
        if tokens[main].is(known.presenting) && tokens.get(main + 1).is_some_and(|next| next.is(known.copula)) {
            return Some(Why::Nothing);
        }
        let says = upto[start.min(upto.len())..].iter().any(|token| token.is(known.said));
        if says && tokens[start - 1].is(known.comparing) {
            return Some(Why::Nothing);
        }
        let denied =
            !rule.negated && !tokens[start.saturating_sub(2)..start].iter().any(|token| token.is(known.factive));
        if denied && tokens[main..start].iter().any(|token| token.is(known.negation)) {
            return Some(Why::Negated);
        }
    }
    (quotes.count() % 2 == 1 || reported).then_some(Why::Quoted)
}

/// Reports whether a match is about a thing that is only pointed at: "this book is one of my favorites", and if `pictures`,
/// "I took this picture".
fn points(language: &Language, tokens: &[Token], start: usize, end: usize, pictures: bool) -> bool {
    let known = language.known();
    let person = known.first | known.mine | known.plural | known.kin;
    let subject = start > 0
        && tokens[start - 1].is(known.pointing)
        && tokens[start].before == Before::Space
        && !tokens[start].capital
        && !tokens[start].is(person);
    let shown =
        |at: usize| tokens[at].is(known.pointing) && tokens.get(at + 1).is_some_and(|next| next.is(known.picture));
    subject || (pictures && (start..tokens.len().min(end + 1)).any(shown))
}

/// Returns why a sentence without any match yields nothing.
pub(super) fn why_nothing(language: &Language, tokens: &[Token], asks: bool) -> Why {
    let known = language.known();
    let any = |classes| tokens.iter().any(|token| token.is(classes));
    if asks {
        Why::Question
    } else if tokens.len() <= LONGEST_GREETING && any(known.greeting) {
        Why::Greeting
    } else if any(known.hypothetical) {
        Why::Hypothetical
    } else if any(known.negation) {
        Why::Negated
    } else {
        Why::Nothing
    }
}
