//! Rewrites a statement so that it stands by itself: the speaker's name replaces the first person, and the verb is
//! adjusted. If a word makes that unsafe, the statement stays unchanged and the speaker's name is put in front.

use super::language::Language;
use super::tokens::{Before, Token};

/// Most adverbs between the first person and its verb.
const MOST_ADVERBS: usize = 3;

/// Marks around words that belong to them: "`uv`", "30%".
const OPENING: [char; 8] = ['`', '"', '“', '„', '«', '(', '$', '@'];
const CLOSING: [char; 9] = ['`', '"', '”', '“', '»', ')', '%', '€', '+'];

/// Words some words of a text as a statement by a speaker, whose name may be known.
pub(super) fn statement(
    language: &Language,
    text: &str,
    words: &[Token],
    speaker: &str,
    named: bool,
) -> Option<String> {
    let (first, last) = (words.first()?, words.last()?);
    let lead = text.get(..first.range.start)?;
    let lead = lead.get(lead.trim_end_matches(OPENING).len()..)?;
    let tail = text.get(last.range.end..)?;
    let tail = tail.get(..tail.len() - tail.trim_start_matches(CLOSING).len())?;
    let whole = text.get(first.range.start..last.range.end)?;
    let known = language.known();
    let whole = || format!("{lead}{}{tail}", if lead.is_empty() { capitalized(whole) } else { whole.to_owned() });
    if !words.iter().any(|token| token.is(known.first | known.mine | known.me | known.plural | known.second)) {
        return Some(whole());
    }
    let rewritten = rewritten(language, text, words, speaker);
    let rewritten = rewritten.map(|rewritten| format!("{lead}{rewritten}{tail}"));
    Some(rewritten.unwrap_or_else(|| by(language, speaker, whole(), named)))
}

/// Says who says something, where the name is known or the language is English.
pub(super) fn by(language: &Language, speaker: &str, content: String, named: bool) -> String {
    if named || language.their().is_some() { format!("{}: {content}", capitalized(speaker)) } else { content }
}

/// Replaces the first person by the speaker; `None` if that is not safe.
fn rewritten(language: &Language, text: &str, words: &[Token], speaker: &str) -> Option<String> {
    let changes = changes(language, text, words, speaker)?;
    let mut written = String::new();
    let mut at = words.first()?.range.start;
    for (token, change) in words.iter().zip(changes) {
        let gap = text.get(at..token.range.start)?;
        let word = text.get(token.range.clone())?;
        written.push_str(gap);
        match change {
            Change::Keep => written.push_str(word),
            Change::Write(new) => {
                // A contraction such as "I'm" becomes two words; "don't" stays one.
                let joined = gap.is_empty() && !written.is_empty() && !language.is_genitive(&new);
                if joined {
                    written.push(' ');
                }
                written.push_str(&new);
            }
        }
        at = token.range.end;
    }
    Some(capitalized(&written))
}

/// The change to a word.
#[derive(Clone, PartialEq, Eq)]
enum Change {
    Keep,
    Write(String),
}

/// The change to each word; `None` if the rewriting is not safe.
fn changes(language: &Language, text: &str, words: &[Token], speaker: &str) -> Option<Vec<Change>> {
    let known = language.known();
    let mut changes = vec![Change::Keep; words.len()];
    // The verb that was given its third-person form.
    let (mut named, mut converted) = (false, None);
    for (index, token) in words.iter().enumerate() {
        if token.is(known.plural | known.second | known.fixed) {
            return None;
        }
        // "… and save": the second verb takes the form of the first.
        let joined = index > 0 && words[index - 1].is(known.and) && token.before == Before::Space;
        if !joined
            && converted.is_some_and(|verb| index > verb)
            && token.is(known.opens | known.present | known.unchanged)
        {
            converted = None;
        }
        if token.is(known.first) {
            let verb = verb(language, words, index)?;
            let joined = text.get(words[verb].range.clone()).is_some_and(|word| word.starts_with(['\'', '’']));
            if words[verb].is(known.unchanged) && !joined {
                // "I won't": the verb stays unchanged.
            } else if let Some(third) = language.third(words[verb].word) {
                changes[verb] = Change::Write(third.to_owned());
                converted = Some(verb).filter(|verb| !words[*verb].is(known.unchanged));
            } else {
                return None;
            }
            changes[index] = Change::Write(speaker.to_owned());
            named = true;
        } else if token.is(known.mine) {
            let own = language
                .their()
                .filter(|_| named)
                .map_or_else(|| language.genitive(speaker), |own| Some(own.to_owned()));
            changes[index] = Change::Write(own?);
            named = true;
        } else if token.is(known.me) {
            changes[index] = Change::Write(language.them().filter(|_| named).unwrap_or(speaker).to_owned());
            named = true;
        } else if joined
            && converted.is_some_and(|verb| continues(language, words, verb, index))
            && let Some(third) = language.third(token.word).filter(|_| token.is(known.present))
        {
            changes[index] = Change::Write(third.to_owned());
        }
    }
    Some(changes)
}

/// Reports whether the word behind "and" continues the verb: "I live here and work there", "I live in Porto and work";
/// but not a noun, as in "I do layout and design".
fn continues(language: &Language, words: &[Token], verb: usize, index: usize) -> bool {
    let between = words.get(verb + 1..index - 1).unwrap_or_default();
    let ends = words.get(index + 1).is_none_or(|next| next.before >= Before::Pause);
    let placed = between.len() > 1 && between[between.len() - 2].is(language.known().place);
    !ends || placed || between.is_empty()
}

/// Finds the verb of the first person at `index`: after it, skipping adverbs, or directly before it.
fn verb(language: &Language, words: &[Token], index: usize) -> Option<usize> {
    let known = language.known();
    let is_verb = |token: &Token| language.third(token.word).is_some() || token.is(known.unchanged);
    let behind = (index + 1..words.len()).take(MOST_ADVERBS + 1);
    for at in behind {
        if is_verb(&words[at]) {
            return Some(at);
        }
        if !words[at].is(known.adv) {
            break;
        }
    }
    // "Gestern habe ich …": the verb comes first.
    index.checked_sub(1).filter(|at| language.inverts() && is_verb(&words[*at]))
}

/// Capitalizes the first letter.
pub(super) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
