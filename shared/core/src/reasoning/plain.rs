//! Recognizes sentences that plainly state a present fact: questions, denials, doubts, wishes and the past yield no
//! conclusions.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::text::sentences;
use crate::text::words::fold;

/// Longest sentence read, in bytes.
const LONGEST: usize = 400;

/// Words of denial, doubt, supposition, wish or plan.
const UNSURE: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "nobody",
    "neither",
    "nor",
    "without",
    "hardly",
    "cannot",
    "isnt",
    "if",
    "unless",
    "whether",
    "would",
    "could",
    "might",
    "may",
    "should",
    "maybe",
    "perhaps",
    "possibly",
    "probably",
    "supposedly",
    "allegedly",
    "almost",
    "nearly",
    "wish",
    "wishes",
    "hope",
    "hopes",
    "hoping",
    "want",
    "wants",
    "plan",
    "plans",
    "planning",
    "planned",
    "dream",
    "dreams",
    "imagine",
    "suppose",
    "pretend",
    "think",
    "thinks",
    "guess",
    "guesses",
    "doubt",
    "doubts",
    "wonder",
    "wonders",
    "consider",
    "considering",
    "considers",
    "will",
    "wont",
    "going",
    "soon",
    "tomorrow",
    "says",
    "claims",
    "claimed",
    "believes",
    "believed",
    "rumor",
    "rumour",
    "joke",
    "joked",
    "instead",
    "except",
    "wrong",
    "false",
    "untrue",
    "lie",
    "lies",
    "but",
    "unlike",
];

/// Words about the past.
const PAST: &[&str] = &[
    "was",
    "were",
    "used",
    "had",
    "lived",
    "worked",
    "grew",
    "born",
    "raised",
    "formerly",
    "former",
    "previously",
    "once",
    "ex",
    "late",
    "left",
    "quit",
    "retired",
    "studied",
    "died",
    "until",
    "ago",
    "earlier",
    "before",
    "came",
    "comes",
    "from",
    "belonged",
    "employed",
    "volunteered",
    "interned",
    "been",
    "stayed",
    "visited",
    "divorced",
    "separated",
    "anymore",
];

/// The sentence at a byte offset of a content, as a byte range.
pub(super) fn sentence(content: &str, at: usize) -> Option<Range<usize>> {
    sentences::of(content, LONGEST).into_iter().find(|range| range.contains(&at))
}

/// The sentences of a content, as byte ranges.
pub(super) fn sentences_of(content: &str) -> Vec<Range<usize>> {
    sentences::of(content, LONGEST)
}

/// The folded words of a text. Contractions keep their apostrophe, so that "can't" is one word.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let words = text.split(|c: char| !inside(c)).map(|word| word.trim_matches(['\'', '’']));
    words.filter(|word| !word.is_empty()).map(|word| fold(&word.replace('’', "'"))).collect()
}

fn denies(word: &str) -> bool {
    word.ends_with("n't") || UNSURE.contains(&word)
}

/// Reports whether a sentence states something, about any time.
pub(super) fn is_told(sentence: &str) -> bool {
    !sentence.contains('?') && !tokens(sentence).iter().any(|word| denies(word))
}

/// Reports whether it is about the present. `allowed` are words that do not indicate the past here.
pub(super) fn is_present(sentence: &str, allowed: &[&str]) -> bool {
    let past = |word: &String| PAST.contains(&word.as_str()) && !allowed.contains(&word.as_str());
    is_told(sentence) && !tokens(sentence).iter().any(past)
}

/// Reports whether a text contains one of these words; always true for an empty list.
pub(super) fn has_one(text: &str, of: &[&str]) -> bool {
    let words: BTreeSet<String> = tokens(text).into_iter().collect();
    of.is_empty() || of.iter().any(|word| words.contains(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_denied_doubted_wished_asked_or_over_is_not_plain() {
        for text in [
            "Ana does not work at Acme.",
            "Ana doesn't work at Acme.",
            "Ana doesn’t work at Acme.",
            "It is not true that Ana works at Acme.",
            "Does Ana work at Acme?",
            "Ana works at Acme?",
            "Ana might work at Acme.",
            "If Ana works at Acme, call.",
            "Ana hopes she works at Acme.",
            "Ana used to work at Acme.",
            "Ana no longer works at Acme.",
            "Ana worked at Acme.",
            "Ana was at Acme.",
            "Ana grew up in Porto.",
        ] {
            assert!(!is_present(text, &[]), "{text}");
        }
        assert!(is_present("Ana works at Acme.", &[]) && is_told("Ana went to yoga with Bob."));
        assert!(is_present("The review comes before the launch.", &["comes", "before"]));
        assert!(has_one("Ana works", &["works"]) && !has_one("Ana reworks", &["works"]) && has_one("", &[]));
    }
}
