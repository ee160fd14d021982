//! Recognizes transcripts of speech. People think aloud there, talk about the talk itself and announce what they do at once:
//! only sure statements, and dated ones, are worth keeping.

use super::language::Language;
use super::pronouns::tail;
use super::said::Said;
use super::tokens::fold_into;
use crate::memory::Role;

/// Least confidence of a rule that counts in a transcript without a date.
pub(super) const SURE_ALOUD: f64 = 0.9;
/// Most bytes read of each message, from its end.
const READ: usize = 600;
/// Fewest letters of a note on a sound.
const SHORTEST_NOTE: usize = 3;
/// Signs of speech from which a conversation is a transcript: in a group of three speakers or more, and otherwise.
const IN_GROUP: usize = 2;
const AMONG_TWO: usize = 3;

/// Speakers named by function or title from which a conversation is a transcript.
const OFFICES: usize = 2;

/// Reports whether a message belongs to a transcript: it and the messages before it hesitate ("um"), repeat words while the
/// speaker searches for the next ("the the"), note sounds ("{laughs}"), or, in a group, speak of a meeting or name functions.
pub(super) fn is_transcript(language: &Language, said: &Said<'_>, before: &[Said<'_>]) -> bool {
    let all = || before.iter().chain([said]).filter(|one| one.role == Role::User);
    let mut names: Vec<&str> = all().map(|one| one.name).filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    let group = names.len() > 2;
    let mut folded = String::new();
    // "The Chair", "Project Manager": only a transcript names speakers so.
    let offices = names.iter().filter(|name| is_office(language, name, &mut folded)).count();
    let signs: usize = all().map(|one| signs(language, one, group, &mut folded)).sum();
    offices >= OFFICES || signs + offices >= if group { IN_GROUP } else { AMONG_TWO }
}

/// Reports whether a speaker's name has a title, a function or letters after it ("Lea Brandt MP").
fn is_office(language: &Language, name: &str, folded: &mut String) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let lettered = words
        .clone()
        .skip(1)
        .last()
        .is_some_and(|last| (2..=3).contains(&last.len()) && last.bytes().all(|byte| byte.is_ascii_uppercase()));
    let office = language.known().office | language.known().session;
    lettered
        || words.any(|word| {
            fold_into(word, folded);
            language.word(folded).1 & office != 0
        })
}

/// Counts the signs of speech in a message.
fn signs(language: &Language, said: &Said<'_>, group: bool, folded: &mut String) -> usize {
    let known = language.known();
    let (mut count, mut last) = (0, 0);
    for word in tail(said.content, READ).split_whitespace() {
        fold_into(word.trim_matches(|c: char| !c.is_alphanumeric()), folded);
        let (number, classes) = language.word(folded);
        // "Very very" and "no, no" are emphasis.
        let again =
            number == last && classes & (known.first | known.article | known.plural | known.place | known.and) != 0;
        let talk = group && classes & known.session != 0;
        // "{laughs}", "[inaudible]": a note of the person who wrote it down.
        let bracketed = matches!(word.as_bytes(), [b'{', .., b'}'] | [b'[', .., b']']);
        let noted = bracketed
            && !said.name.is_empty()
            && folded.len() >= SHORTEST_NOTE
            && folded.bytes().all(|byte| byte.is_ascii_lowercase());
        count += usize::from(classes & known.hesitation != 0 || again || talk || noted);
        last = number;
    }
    count
}
