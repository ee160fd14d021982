//! Dates that a query names: years, months, days of a month. Compared in UTC.

use super::times::Times;
use crate::text::lists::year;
use crate::time::MONTHS;

/// Months that are also ordinary words or names. They count only next to a preposition or number.
const AMBIGUOUS: [&str; 5] = ["may", "march", "mar", "jan", "dec"];

/// Words before an ambiguous month that make it a month.
const BEFORE_MONTH: [&str; 16] = [
    "in", "of", "during", "early", "late", "mid", "since", "until", "till", "by", "before", "after", "last", "this",
    "next", "past",
];

/// Returns the month of a folded word: its full name, its first three letters, or "sept".
pub(super) fn month(word: &str) -> Option<i8> {
    if word == "sept" {
        return Some(9);
    }
    let index = MONTHS.iter().position(|name| *name == word || (word.len() == 3 && name.starts_with(word)))?;
    i8::try_from(index + 1).ok()
}

/// Finds dates in folded words, but no ranges.
pub(super) fn named(words: &[&str]) -> Times {
    let mut times = Times { years: words.iter().filter_map(|word| year(word)).collect(), ..Times::default() };
    for (index, word) in words.iter().enumerate() {
        let Some(month) = month(word) else { continue };
        let before = index.checked_sub(1).map_or("", |i| words[i]);
        let after = words.get(index + 1).copied().unwrap_or("");
        let is_number = |word: &str| day(word).is_some() || year(word).is_some();
        if AMBIGUOUS.contains(word) && !(BEFORE_MONTH.contains(&before) || is_number(before) || is_number(after)) {
            continue;
        }
        times.months.push(month);
        times.days.extend([before, after].into_iter().filter_map(day));
    }
    times
}

/// Parses a day of a month: 1 to 31, optionally with an ordinal ending.
fn day(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    if digits.is_empty() || digits.len() > 2 || !matches!(ending, "" | "st" | "nd" | "rd" | "th") {
        return None;
    }
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}
