//! Titles of works: quoted words that are all capitalized, except small ones.

use super::Found;
use crate::entities::EntityType;
use crate::text::lists::is_stop_word;

/// Confidence of a title.
const CONFIDENCE: f64 = 0.7;
/// Longest title, in words.
const LONGEST: usize = 9;
/// Pairs of opening and closing quotes.
const QUOTES: [(char, char); 2] = [('"', '"'), ('“', '”')];

/// Finds titles in a text that do not overlap the names found before.
pub(super) fn find(text: &str, before: &[Found]) -> Vec<Found> {
    let mut all = Vec::new();
    for (open, close) in QUOTES {
        let mut from = 0;
        while let Some(start) = text.get(from..).and_then(|rest| rest.find(open)).map(|at| from + at + open.len_utf8())
        {
            let Some(end) = text.get(start..).and_then(|rest| rest.find(close)).map(|at| start + at) else { break };
            from = end + close.len_utf8();
            let quoted = text.get(start..end).unwrap_or_default();
            let title = quoted.trim_end_matches([',', '.', '!', '?']);
            let free = before.iter().all(|found| found.span.end <= start || end <= found.span.start);
            if free && is_title(title) {
                let (span, kind) = (start..start + title.len(), EntityType::Product);
                all.push(Found { span, kind, confidence: CONFIDENCE, sentence: 0 });
            }
        }
    }
    all
}

fn is_title(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let capital = |word: &&str| word.chars().next().is_some_and(char::is_uppercase);
    let fits = |word: &&str| capital(word) || is_stop_word(&word.to_lowercase());
    let capitals = words.iter().filter(|word| capital(word)).count();
    (2..=LONGEST).contains(&words.len())
        && capitals > 1
        && words.first().is_some_and(capital)
        && words.iter().all(fits)
        && !text.contains('\n')
}
