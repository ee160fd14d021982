//! Sentences that an abbreviation, an initial or the number of a day does not end: "Dr. Weiss", "J. R. Miller", "am 3. August".

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::language::Language;
use super::said::LONGEST_SENTENCE;
use crate::text::sentences;
use crate::text::words::fold;

static ABBREVIATIONS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("words/abbreviations.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

/// Splits a text into sentences.
pub(super) fn sentences(language: &Language, text: &str) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in sentences::of(text, LONGEST_SENTENCE) {
        let next = text.get(range.clone()).unwrap_or_default();
        let last = joined.last_mut().filter(|last| {
            let gap = text.get(last.end..range.start).unwrap_or_default();
            range.end - last.start <= LONGEST_SENTENCE && !gap.contains('\n')
        });
        match last {
            Some(last) if goes_on(language, text.get(last.clone()).unwrap_or_default(), next) => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}

/// Reports whether a sentence goes on behind its last full stop.
fn goes_on(language: &Language, sentence: &str, next: &str) -> bool {
    let Some(inside) = sentence.strip_suffix('.') else { return false };
    let word = inside.rsplit([' ', '.', '(', '\u{a0}']).next().unwrap_or_default();
    let folded = fold(word);
    let letter = word.chars().count() == 1;
    // "e.g.", "p.m."
    let dotted = letter && inside.len() > word.len() && inside[..inside.len() - word.len()].ends_with('.');
    if folded == "i" && !dotted {
        // "So do I."
        return false;
    }
    let (digit, small) = (next.starts_with(|c: char| c.is_ascii_digit()), next.starts_with(char::is_lowercase));
    let is = |mark: &str, close: &str| ABBREVIATIONS.contains(format!("{mark}{folded}{close}").as_str());
    let initial = letter && word.chars().all(char::is_uppercase) && next.starts_with(char::is_uppercase);
    let day = (1..=2).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_month = || {
        let first = next.split(' ').next().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric());
        language.word(&fold(first)).1 & language.known().month != 0
    };
    initial
        || is("^", "")
        || (small && dotted)
        || ((small || digit) && is("", ""))
        || (digit && is("(", ")"))
        || (day && is_month())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(Language::guess(text), text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn abbreviations_and_initials_end_nothing() {
        for whole in [
            "My name is J. R. Miller.",
            "I live near Mt. Hood and I work for the U.S. Postal Service.",
            "I live at No. 5 Elm St. in Dover.",
            "Wir fliegen am 3. August nach Kreta.",
            "Mein Arzt ist Dr. med. Weiss.",
            "La Sra. Ruiz vive en la Av. Goya.",
        ] {
            assert_eq!(cut(whole), [whole]);
        }
        assert_eq!(cut("So do I. Rex barks."), ["So do I.", "Rex barks."]);
        assert_eq!(cut("I say no. It rains."), ["I say no.", "It rains."]);
        assert_eq!(cut("I moved in 2019. April was wet."), ["I moved in 2019.", "April was wet."]);
        assert_eq!(cut("I work for Acme Inc. My brother skis."), ["I work for Acme Inc.", "My brother skis."]);
        assert_eq!(cut("so do i. rex barks at 5 p.m. and sleeps."), ["so do i.", "rex barks at 5 p.m. and sleeps."]);
    }
}
