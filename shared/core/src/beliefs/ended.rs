//! "No longer": the end of what held.

use super::claim::{Claim, Says};
use super::sentence::Token;
use super::words::Words;

/// Cuts the words for an end, and returns whether there were some.
pub(super) fn cut<'t>(language: &Words, tokens: &[Token<'t>]) -> (Vec<Token<'t>>, bool) {
    let is = |at: usize, class: &str| tokens.get(at).is_some_and(|token| language.is(class, &token.word));
    let last = tokens.len().saturating_sub(1);
    // "No longer", "nicht mehr", or at the end of a denial "anymore", "any more", "mehr".
    let parts = (0..tokens.len()).find_map(|at| match at {
        at if is(at, "none_longer") && is(at + 1, "longer") => Some(at..at + 2),
        at if at + 1 == last && is(at, "at_all") && is(last, "longer") => Some(at..last + 1),
        at if at == last && at > 0 && is(last, "anymore") => Some(at..last + 1),
        _ => None,
    });
    let Some(parts) = parts else { return stopped(language, tokens) };
    let mut kept = tokens.to_vec();
    kept.drain(parts);
    (kept, true)
}

/// "I stopped smoking": the statement that ended, in the present.
fn stopped<'t>(language: &Words, tokens: &[Token<'t>]) -> (Vec<Token<'t>>, bool) {
    let at = tokens.iter().position(|token| language.is("stopped", &token.word));
    let verb =
        |at: &usize| tokens.get(at + 1).and_then(|token| language.present(&token.word).map(|word| token.with(word)));
    let Some((at, verb)) = at.and_then(|at| Some((at, verb(&at)?))) else { return (tokens.to_vec(), false) };
    let helps = |token: &Token<'_>| language.is_any(&["adverb", "perfect"], &token.word);
    let from = tokens.iter().take(at).rposition(|token| !helps(token)).map_or(0, |last| last + 1);
    let mut kept = tokens.to_vec();
    kept.splice(from..at + 2, [verb]);
    (kept, true)
}

/// The claims of a statement that ended.
pub(super) fn ended(claims: Vec<Claim>) -> Vec<Claim> {
    let first = claims.into_iter().find(|claim| matches!(claim.says, Says::Holds(_)));
    first.map(|claim| Claim { says: Says::Ended, ..claim }).into_iter().collect()
}
