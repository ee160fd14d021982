//! Dates that a query names: years, months, days of a month. Compared in UTC.

use jiff::civil::Date;
use jiff::tz::Offset;

use super::stages::time::Times;
use crate::text::lists::year;
use crate::time::Timestamp;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Months that are also ordinary words or names: they need a word or number beside them to count.
const AMBIGUOUS: [&str; 5] = ["may", "march", "mar", "jan", "dec"];

/// Words before a month that make an ambiguous one a month.
const BEFORE_MONTH: [&str; 16] = [
    "in", "of", "during", "early", "late", "mid", "since", "until", "till", "by", "before", "after", "last", "this",
    "next", "past",
];

/// The date of a time in UTC.
pub(super) fn utc_date(at: Timestamp) -> Option<Date> {
    let at = jiff::Timestamp::from_microsecond(at.0).ok()?;
    Some(Offset::UTC.to_datetime(at).date())
}

/// The month of a folded word: its full name, its first three letters, or "sept".
pub(super) fn month(word: &str) -> Option<i8> {
    if word == "sept" {
        return Some(9);
    }
    let index = MONTHS.iter().position(|name| *name == word || (word.len() == 3 && name.starts_with(word)))?;
    i8::try_from(index + 1).ok()
}

/// Dates in folded words; no ranges.
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

/// The day of a month that a word is: 1 to 31, perhaps with an ordinal ending.
fn day(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    if digits.is_empty() || digits.len() > 2 || !matches!(ending, "" | "st" | "nd" | "rd" | "th") {
        return None;
    }
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}
