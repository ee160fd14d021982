//! Times that a query names relative to now: "yesterday", "last week", "3 days ago", "last May". In UTC, weeks from
//! Monday.

use std::ops::Range;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan};

use super::calendar::month;
use crate::time::Timestamp;

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// A range of days: the first, and the first after it.
type Days = (Date, Date);

/// A unit of time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

/// Returns the ranges of time that folded words name, seen from `reference`. Empty if the reference is outside of the
/// calendar.
pub(super) fn ranges(words: &[&str], reference: Timestamp) -> Vec<Range<Timestamp>> {
    if !words.iter().any(|word| may_start(word)) {
        return Vec::new();
    }
    let Some(today) = reference.utc_date() else { return Vec::new() };
    (0..words.len())
        .filter_map(|index| days_at(words, index, today))
        .filter_map(|(from, to)| Some(start_of(from)?..start_of(to)?))
        .filter(|range| range.start < range.end)
        .collect()
}

/// A cheap test that most queries fail.
fn may_start(word: &str) -> bool {
    matches!(word, "yesterday" | "today" | "tonight" | "ago" | "last" | "past" | "previous" | "this" | "next" | "on")
}

fn days_at(words: &[&str], index: usize, today: Date) -> Option<Days> {
    let at = |offset: usize| words.get(index + offset).copied().unwrap_or("");
    match words[index] {
        "today" | "tonight" => one_day(today, 0),
        "yesterday" if index >= 2 && words[index - 2..index] == ["day", "before"] => one_day(today, -2),
        "yesterday" => one_day(today, -1),
        "ago" => ago(words.get(..index)?, today),
        "last" | "past" | "previous" => match number(at(1)).zip(unit(at(2))) {
            Some((count, unit)) => Some((shift(today, unit, -count)?, shift(today, Unit::Day, 1)?)),
            None => named(at(1), -1, today),
        },
        "this" => named(at(1), 0, today),
        "next" => named(at(1), 1, today),
        "on" => weekday(at(1)).and_then(|day| latest_weekday(day, today)),
        _ => None,
    }
}

/// Parses the words before "ago": "3 days ago", "a couple of weeks ago".
fn ago(before: &[&str], today: Date) -> Option<Days> {
    let (unit_word, rest) = before.split_last()?;
    let unit = unit(unit_word)?;
    let ([.., count, "of"] | [.., count]) = rest else { return None };
    let day = shift(today, unit, -number(count)?)?;
    match unit {
        Unit::Day => one_day(day, 0),
        // "Three weeks ago" is rarely exact, so this includes the days around.
        Unit::Week => Some((shift(day, Unit::Day, -3)?, shift(day, Unit::Day, 4)?)),
        Unit::Month => month_of(day),
        Unit::Year => year_of(day),
    }
}

/// Parses the word after "last", "this" or "next", such as "week", "month", "Tuesday" or "May": `step` is -1, 0 or 1.
fn named(word: &str, step: i64, today: Date) -> Option<Days> {
    let monday = shift(today, Unit::Day, -i64::from(today.weekday().to_monday_zero_offset()))?;
    match word {
        "night" | "morning" | "afternoon" | "evening" => one_day(today, step),
        "week" => {
            let start = shift(monday, Unit::Week, step)?;
            Some((start, shift(start, Unit::Week, 1)?))
        }
        "weekend" => {
            let start = shift(monday, Unit::Week, step)?;
            Some((shift(start, Unit::Day, 5)?, shift(start, Unit::Day, 7)?))
        }
        "month" => month_of(shift(today.first_of_month(), Unit::Month, step)?),
        "year" => year_of(shift(today.first_of_year(), Unit::Year, step)?),
        _ => {
            if let Some(month) = month(word) {
                named_month(month, step, today)
            } else if step <= 0 {
                let from = if step < 0 { shift(today, Unit::Day, -1)? } else { today };
                latest_weekday(weekday(word)?, from)
            } else {
                None
            }
        }
    }
}

/// "last May" is the latest May before this month; "this May" is this year's; "next May" is the first after this month.
fn named_month(month: i8, step: i64, today: Date) -> Option<Days> {
    let over = match step {
        -1 if month >= today.month() => -1,
        1 if month <= today.month() => 1,
        _ => 0,
    };
    let year = i16::try_from(i64::from(today.year()) + over).ok()?;
    month_of(Date::new(year, month, 1).ok()?)
}

fn latest_weekday(day: i64, from: Date) -> Option<Days> {
    let back = (i64::from(from.weekday().to_monday_zero_offset()) - day).rem_euclid(7);
    one_day(from, -back)
}

fn one_day(day: Date, step: i64) -> Option<Days> {
    let start = shift(day, Unit::Day, step)?;
    Some((start, shift(start, Unit::Day, 1)?))
}

fn month_of(day: Date) -> Option<Days> {
    let start = day.first_of_month();
    Some((start, shift(start, Unit::Month, 1)?))
}

fn year_of(day: Date) -> Option<Days> {
    let start = day.first_of_year();
    Some((start, shift(start, Unit::Year, 1)?))
}

fn shift(day: Date, unit: Unit, count: i64) -> Option<Date> {
    let span: Span = match unit {
        Unit::Day => count.days(),
        Unit::Week => count.weeks(),
        Unit::Month => count.months(),
        Unit::Year => count.years(),
    };
    day.checked_add(span).ok()
}

/// Parses "a" to "twelve", "couple", "few", or up to three digits, so that no span overflows.
fn number(word: &str) -> Option<i64> {
    match word {
        "a" | "an" => Some(1),
        "couple" => Some(2),
        "few" => Some(3),
        _ if !word.is_empty() && word.len() <= 3 && word.bytes().all(|b| b.is_ascii_digit()) => word.parse().ok(),
        _ => NUMBERS.iter().position(|name| *name == word).and_then(|index| i64::try_from(index + 1).ok()),
    }
}

fn unit(word: &str) -> Option<Unit> {
    match word {
        "day" | "days" => Some(Unit::Day),
        "week" | "weeks" => Some(Unit::Week),
        "month" | "months" => Some(Unit::Month),
        "year" | "years" => Some(Unit::Year),
        _ => None,
    }
}

fn weekday(word: &str) -> Option<i64> {
    WEEKDAYS.iter().position(|name| *name == word).and_then(|index| i64::try_from(index).ok())
}

fn start_of(day: Date) -> Option<Timestamp> {
    Some(Timestamp(day.to_zoned(TimeZone::UTC).ok()?.timestamp().as_microsecond()))
}
