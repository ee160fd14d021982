//! Dates that a query names: years, months, days of a month. Compared in UTC.

use std::ops::Range;

use jiff::civil::Date;
use jiff::tz::Offset;

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

/// Times that a query names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Years.
    pub years: Vec<i16>,
    /// Months, from 1.
    pub months: Vec<i8>,
    /// Days of these months, from 1.
    pub days: Vec<i8>,
    /// Spans of time relative to the reference time, such as of "last week".
    pub ranges: Vec<Range<Timestamp>>,
}

impl Times {
    /// The factor of something that happened at `at`: 2 if it fits the years and months named or falls into a range, 3
    /// if it also fits a day named or does both, else 1.
    pub fn factor(&self, at: Timestamp) -> f64 {
        let in_range = self.ranges.iter().any(|range| range.contains(&at));
        match self.fits_calendar(at) {
            Some(exact) if exact || in_range => 3.0,
            Some(_) => 2.0,
            None if in_range => 2.0,
            None => 1.0,
        }
    }

    /// Whether `at` fits the years and months named, if any are; and then whether it fits a day.
    fn fits_calendar(&self, at: Timestamp) -> Option<bool> {
        if self.years.is_empty() && self.months.is_empty() {
            return None;
        }
        let date = utc_date(at)?;
        let fits = (self.years.is_empty() || self.years.contains(&date.year()))
            && (self.months.is_empty() || self.months.contains(&date.month()));
        fits.then(|| self.days.contains(&date.day()))
    }
}

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
