//! The subject at the beginning of a sentence.

use super::sentence::{Same, Start, Token, speaker, subject};
use super::words::Words;
use crate::memory::MemoryDraft;
use crate::text::words::{fold, words};

/// Most words of a subject after "my" or "the".
const LONGEST: usize = 3;
/// Most words of the name of a subject.
const LONGEST_NAME: usize = 2;

/// Finds what the sentence may be about: the draft's subject, the first person, something that belongs to it, or
/// another subject.
pub(super) fn subjects(language: &Words, draft: &MemoryDraft, tokens: &[Token<'_>]) -> Vec<Start> {
    if let Some(name) = draft.subject.as_deref() {
        let parts: Vec<String> = words(name).map(fold).collect();
        let here = tokens.iter().zip(&parts).filter(|(token, part)| token.word == **part).count();
        if here == parts.len() && here > 0 {
            let owned = tokens.get(here).is_some_and(|token| token.word == "s" && !token.capital());
            return vec![Start::of(subject(name), here + usize::from(owned), owned)];
        }
    }
    let first = |class: &str| tokens.first().is_some_and(|token| language.is(class, &token.word));
    let speaker = speaker(draft);
    if first("first") {
        return speaker.map(|who| Start::of(who, 1, false)).into_iter().collect();
    }
    let mine = speaker.clone().filter(|_| first("mine")).map(|who| Start::of(who, 1, true));
    let ours = speaker.clone().filter(|_| first("ours")).map(|who| Start { owned: true, ..group(&who) });
    let other = if first("we") { speaker.map(|who| group(&who)) } else { other(language, speaker, tokens) };
    mine.or(ours).into_iter().chain(other).collect()
}

/// "We": a group that differs by speaker.
fn group(speaker: &str) -> Start {
    Start { shared: true, same: Same::Likely, ..Start::of(format!("{speaker}\0we"), 1, false) }
}

/// A name, or a noun after "my", "our" or "the", before the verb of a state.
fn other(language: &Words, speaker: Option<String>, tokens: &[Token<'_>]) -> Option<Start> {
    let determined = language.is_any(&["mine", "ours", "the"], &tokens.first()?.word);
    let from = usize::from(determined);
    let verbs = [
        "states", "does", "copula", "am", "likes", "dislikes", "perfect", "never", "always", "able", "endures",
        "adverb",
    ];
    let begins = |(at, token): (usize, &Token<'_>)| {
        at > from && ((token.word == "s" && !token.capital()) || language.is_any(&verbs, &token.word))
    };
    let at = tokens.iter().enumerate().take(from + LONGEST + 1).position(begins)?;
    let said = tokens.get(..at)?;
    let named = said.get(from..)?;
    let vague =
        ["small", "pointing", "pronoun", "clause", "and", "or", "unsure", "when", "partly", "first", "we", "not"];
    let vague = |token: &Token<'_>| token.ends || language.is_any(&vague, &token.word);
    let is_name = named.len() <= LONGEST_NAME && named.iter().all(Token::capital);
    if named.iter().any(vague) || !(determined || is_name) {
        return None;
    }
    let of = |tokens: &[Token<'_>]| tokens.iter().map(|token| token.word.as_str()).collect::<Vec<_>>().join(" ");
    let subject = if determined { format!("{}\0{}", speaker?, of(said)) } else { subject(&of(said)) };
    let owned = tokens.get(at).is_some_and(|token| token.word == "s");
    let several = determined && named.last().is_some_and(|token| language.is("several", &token.word));
    let same = if several { Same::Several } else { Same::Likely };
    Some(Start { same, ..Start::of(subject, at + usize::from(owned), owned) })
}
