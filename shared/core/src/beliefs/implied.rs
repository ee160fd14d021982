//! Claims that follow from others by the meaning of words: who eats beef eats meat, who is a vegetarian eats none.

use super::claim::Claim;
use super::holds::of;
use super::sentence::Token;
use super::words::Words;

/// Returns what follows from an affirmed statement.
pub(super) fn follows(language: &Words, who: &str, predicate: &str, object: &[Token<'_>]) -> Vec<Claim> {
    let words = object.iter().filter(|token| !language.is("article", &token.word));
    let words: Vec<String> = words.map(|token| language.base(&token.word)).collect();
    let excluded = language.excluded(predicate, &words.join(" ")).iter();
    let excluded = excluded.map(|(predicate, object)| of(who, predicate, std::slice::from_ref(object), false, true));
    excluded.chain(kind(language, who, predicate, object)).collect()
}

/// "I eat beef": the claim about the kind that a thing belongs to.
fn kind(language: &Words, who: &str, predicate: &str, object: &[Token<'_>]) -> Option<Claim> {
    let words = |token: &&Token<'_>| !language.is("article", &token.word) && language.number(&token.word).is_none();
    let mut words = object.iter().filter(words);
    let thing = words.next().filter(|_| words.next().is_none())?;
    let kind = language.kind(predicate, &language.base(&thing.word))?;
    Some(of(who, predicate, &[kind.to_owned()], true, true))
}
