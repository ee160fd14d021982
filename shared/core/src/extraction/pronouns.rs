//! Resolves "he" and "she": the only matching person named before. If two match, the pronoun stays unresolved.

use super::language::{Classes, Language};
use super::said::Said;
use super::tokens::{Token, tokens};

/// Most bytes read before a sentence.
const READ_BEFORE: usize = 300;
/// Most earlier messages read.
const MESSAGES_BEFORE: usize = 2;

/// A person named in a text.
#[derive(Debug, PartialEq, Eq)]
struct Person {
    name: String,
    /// Woman, man, or both bits if unknown.
    kinds: Classes,
}

/// Returns the person that a pronoun refers to, from the words before `at` in the message and from earlier messages.
pub(super) fn meant(language: &Language, said: &Said<'_>, before: &[Said<'_>], at: usize, she: bool) -> Option<String> {
    let known = language.known();
    let kind = if she { known.woman } else { known.man };
    let own =
        said.content.get(said.content.floor_char_boundary(at.saturating_sub(READ_BEFORE))..at).unwrap_or_default();
    let earlier = before.iter().rev().take(MESSAGES_BEFORE).filter(|message| message.name == said.name);
    let texts = std::iter::once(own).chain(earlier.map(|message| tail(message.content, READ_BEFORE)));
    for text in texts {
        let mut people = people(language, said, text);
        people.retain(|person| person.kinds & kind != 0);
        match people.as_slice() {
            [] => {}
            [person] => return Some(person.name.clone()),
            _ => return None,
        }
    }
    None
}

/// The last part of a text, of about `most` bytes.
pub(super) fn tail(text: &str, most: usize) -> &str {
    text.get(text.floor_char_boundary(text.len().saturating_sub(most))..).unwrap_or(text)
}

/// The people a text names by their relation to the speaker: "my sister Lea".
fn people(language: &Language, said: &Said<'_>, text: &str) -> Vec<Person> {
    let known = language.known();
    let mut words = Vec::new();
    tokens(language, text, 0..text.len(), &mut words);
    let mut found: Vec<Person> = Vec::new();
    for index in 1..words.len() {
        if words[index].is(known.kin) && words[index - 1].is(known.mine | known.adv) {
            let name = kin_name(language, said, text, &words, index);
            let both = known.woman | known.man;
            let kinds = Some(words[index].classes & both).filter(|kinds| *kinds != 0).unwrap_or(both);
            if !found.iter().any(|person| person.name == name) {
                found.push(Person { name, kinds });
            }
        }
    }
    found
}

/// The name of the relative at `index`: the name that follows, or the relation to the speaker.
pub(super) fn kin_name(language: &Language, said: &Said<'_>, text: &str, words: &[Token], index: usize) -> String {
    let word = |token: &Token| text.get(token.range.clone()).unwrap_or_default();
    let known = language.known();
    let is_name =
        |next: &&Token| next.capital && !next.number && !next.is(known.first | known.time) && !is_noun(language, next);
    if let Some(name) = words.get(index + 1).filter(is_name) {
        return word(name).to_owned();
    }
    let speaker = said.speaker(language);
    let owner = language.genitive(speaker).unwrap_or_else(|| speaker.to_owned());
    format!("{owner} {}", word(&words[index]))
}

/// Reports whether a capital is meaningless, since the language capitalizes nouns.
fn is_noun(language: &Language, token: &Token) -> bool {
    language.inverts() && token.word != super::language::UNKNOWN
}
