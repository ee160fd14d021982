//! Proves that one text holds the details of others: names, numbers, dates, negations, quotations, and pieces of code.
//! It does not depend on how the text was made.

use std::collections::BTreeSet;

use super::words::words_of;
use crate::text::lists::is_stop_word;
use crate::text::words::{fold, stem, words};

/// Opening quotation marks, each with its closing one.
const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('`', '`')];

/// Reports whether a text holds every detail of others.
pub fn holds_details(text: &str, of: &[&str]) -> bool {
    let held = Details::of(text);
    of.iter().all(|source| {
        let source = Details::of(source);
        source.words.is_subset(&held.words)
            && source.denied.is_subset(&held.denied)
            && source.verbatim.iter().all(|part| text.contains(part.as_str()))
    })
}

/// The details that must not be lost.
#[derive(Debug, Default)]
struct Details {
    /// Names, numbers, dates; folded.
    words: BTreeSet<String>,
    /// Negations, each with the stem of the next meaningful word.
    denied: BTreeSet<(String, String)>,
    /// Quoted texts, and words with signs or digits inside, verbatim.
    verbatim: BTreeSet<String>,
}

impl Details {
    fn of(text: &str) -> Self {
        let mut details = Self::default();
        let text = &text.replace("n't", " not").replace("n’t", " not");
        details.take_words(text);
        details.verbatim.extend(text.split_whitespace().filter_map(verbatim));
        for (open, close) in QUOTES {
            let mut parts = text.split(open).skip(1);
            let quoted = parts.by_ref().step_by(if open == close { 2 } else { 1 });
            details.verbatim.extend(quoted.filter_map(|part| part.split_once(close)).map(|(said, _)| said.to_owned()));
        }
        details
    }

    fn take_words(&mut self, text: &str) {
        let mut denying: Vec<String> = Vec::new();
        for word in words(text) {
            let folded = fold(word);
            if words_of().is("negation", &folded) {
                denying.push(folded);
                continue;
            }
            let said = !is_stop_word(&folded);
            if said {
                self.denied.extend(denying.drain(..).map(|negation| (negation, stem(&folded))));
            }
            let numeric = word.chars().any(char::is_numeric) || words_of().is("number", &folded);
            // "May" is a month, while "may" is a stop-word.
            let named = word.starts_with(char::is_uppercase) && (said || words_of().is("date", &folded));
            if numeric || named {
                self.words.insert(folded);
            }
        }
        self.denied.extend(denying.drain(..).map(|negation| (negation, String::new())));
    }
}

/// Returns a word that must stay verbatim: with digits, or with signs or capitals inside.
fn verbatim(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"/@#$€£%~_".contains(c));
    let inside = word.get(word.chars().next()?.len_utf8()..)?;
    let is = word.chars().any(char::is_numeric)
        || inside.chars().any(|c| c.is_uppercase() || "/@_:\\=#".contains(c))
        || inside.trim_end_matches('.').contains('.');
    is.then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_number_date_negation_quotation_or_code_may_be_missing() {
        let source =
            "On May 4 Ana paid 1,250.50 € for \"The Night Watch\" in docs/art.md, but she does not sell it via getItem";
        assert!(holds_details(&format!("All of it: {source}."), &[source]));
        for (part, without) in [
            ("May", "On 4 "),
            ("Ana", "somebody"),
            ("1,250.50", "1,25.50"),
            ("The Night Watch", "the night watch"),
            ("docs/art.md", "docs art md"),
            ("does not sell", "does sell"),
            ("does not sell it", "does not lend it, and does sell it"),
            ("getItem", "getitem"),
        ] {
            assert!(!holds_details(&source.replace(part, without), &[source]), "{part}");
        }
    }

    #[test]
    fn every_source_is_held_to_it() {
        let (one, other) = ("Rex was born in 2019", "Rex was born in Porto");
        assert!(holds_details("Rex was born in 2019 in Porto", &[one, other]));
        assert!(!holds_details("Rex was born in Porto", &[one, other]));
        assert!(holds_details("Ana doesn't fly", &["Ana does not fly"]));
    }
}
