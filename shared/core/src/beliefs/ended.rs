//! "No longer": the end of what held.

use super::claim::{Claim, Says};
use super::sentence::Token;
use super::words::Words;

/// How a sentence says that something ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// "No longer", "stopped": the rest affirms what ended.
    Affirmed,
    /// "Not … anymore": the rest denies it.
    Denied,
}

impl End {
    /// Returns the claim that a statement ended, from the claims of the rest of its sentence. What only follows from the
    /// words, and "I no longer hate coffee", end nothing.
    pub(super) fn of(self, claims: Vec<Claim>) -> Vec<Claim> {
        let rest = Says::Holds(self == Self::Affirmed);
        let said = claims.into_iter().find(|claim| claim.says == rest && !claim.guessed);
        said.map(|claim| Claim { says: Says::Ended, ..claim }).into_iter().collect()
    }
}

/// Cuts the words for an end; `None` if there are none.
pub(super) fn cut<'t>(language: &Words, tokens: &[Token<'t>]) -> Option<(Vec<Token<'t>>, End)> {
    let is = |at: usize, class: &str| tokens.get(at).is_some_and(|token| language.is(class, &token.word));
    let last = tokens.len().saturating_sub(1);
    // "No longer", "nicht mehr", or at the end of a denial "anymore", "any more", "mehr".
    let found = (0..tokens.len()).find_map(|at| match at {
        at if is(at, "none_longer") && is(at + 1, "longer") => Some((at..at + 2, End::Affirmed)),
        at if at + 1 == last && is(at, "at_all") && is(last, "longer") => Some((at..last + 1, End::Denied)),
        at if at == last && at > 0 && is(last, "anymore") => Some((at..last + 1, End::Denied)),
        _ => None,
    });
    let Some((words, end)) = found else { return stopped(language, tokens).map(|rest| (rest, End::Affirmed)) };
    let mut rest = tokens.to_vec();
    rest.drain(words);
    Some((rest, end))
}

/// "I stopped smoking": the statement that ended, in the present. "I never stopped" ends nothing.
fn stopped<'t>(language: &Words, tokens: &[Token<'t>]) -> Option<Vec<Token<'t>>> {
    let at = tokens.iter().position(|token| language.is("stopped", &token.word))?;
    let verb = tokens.get(at + 1)?;
    let verb = verb.with(language.present(&verb.word)?);
    let helps = |token: &Token<'_>| language.is_any(&["adverb", "perfect"], &token.word);
    let before = tokens.get(..at)?;
    if before.iter().any(|token| language.is_any(&["not", "never"], &token.word)) {
        return None;
    }
    let from = before.iter().rposition(|token| !helps(token)).map_or(0, |last| last + 1);
    let mut rest = tokens.to_vec();
    rest.splice(from..at + 2, [verb]);
    Some(rest)
}
