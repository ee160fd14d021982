//! Whether a sentence states plainly what is so now: no conclusion is drawn from a question, a denial, a doubt, a wish or the past.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::text::sentences;
use crate::text::words::fold;

/// Longest sentence that is read, in bytes.
const LONGEST: usize = 400;

/// Words of sentences that deny, doubt, suppose, wish or plan,
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

/// and those that tell of the past.
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

/// A sentence of a content, by its bytes.
pub(super) fn sentence(content: &str, at: usize) -> Option<Range<usize>> {
    sentences::of(content, LONGEST).into_iter().find(|range| range.contains(&at))
}

/// The sentences of a content, by their bytes.
pub(super) fn sentences_of(content: &str) -> Vec<Range<usize>> {
    sentences::of(content, LONGEST)
}

/// The words of a text, folded. A short form keeps its apostrophe, so that "can't" is one.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let words = text.split(|c: char| !inside(c)).map(|word| word.trim_matches(['\'', '’']));
    words.filter(|word| !word.is_empty()).map(|word| fold(&word.replace('’', "'"))).collect()
}

fn denies(word: &str) -> bool {
    word.ends_with("n't") || UNSURE.contains(&word)
}

/// Whether a sentence tells something, of whichever time.
pub(super) fn is_told(sentence: &str) -> bool {
    !sentence.contains('?') && !tokens(sentence).iter().any(|word| denies(word))
}

/// Whether it tells of the present. `allowed` are words that say nothing of the past here.
pub(super) fn is_present(sentence: &str, allowed: &[&str]) -> bool {
    let past = |word: &String| PAST.contains(&word.as_str()) && !allowed.contains(&word.as_str());
    is_told(sentence) && !tokens(sentence).iter().any(past)
}

/// Whether a text has one of these words; any text where none is named.
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
