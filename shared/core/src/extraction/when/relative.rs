//! Periods relative to the message: "yesterday", "last week", "three days ago", "in two weeks", "Friday".

use jiff::civil::Date;

use super::Clause;
use super::calendar::{around, on, one, weekday};
use crate::extraction::time_word::{TimeWord, Unit};

/// Allowed counts of units; periods further away are ignored.
const FURTHEST: std::ops::RangeInclusive<i32> = 1..=200;

/// The period that begins at the word at `index`.
pub(super) fn at(clause: &Clause<'_>, index: usize) -> Option<(Date, Date)> {
    match clause.word(index)? {
        TimeWord::Day(days) => one(on(clause.now, days, Unit::Day)?),
        TimeWord::Shift(count) => shifted(clause, index, count),
        TimeWord::Before => span(clause, index + 1).and_then(|(count, unit)| exactly(clause.now, -count, unit)),
        TimeWord::In => span(clause, index + 1).and_then(|(count, unit)| exactly(clause.now, count, unit)),
        TimeWord::Weekday(number) => weekday(clause.now, number, clause.future),
        TimeWord::Number(_) => ago(clause, index),
        _ => None,
    }
    .or_else(|| ago(clause, index))
}

/// "Three days ago".
pub(super) fn ago(clause: &Clause<'_>, index: usize) -> Option<(Date, Date)> {
    let (count, unit) = span(clause, index)?;
    (clause.word(index + 2) == Some(TimeWord::Ago)).then(|| exactly(clause.now, -count, unit))?
}

/// "Three days".
fn span(clause: &Clause<'_>, index: usize) -> Option<(i32, Unit)> {
    let count = clause.number(index).filter(|count| FURTHEST.contains(count))?;
    if let Some(TimeWord::Unit(unit)) = clause.word(index + 1) { Some((count, unit)) } else { None }
}

/// The whole unit at that distance: a week for "three weeks ago".
fn exactly(now: Date, count: i32, unit: Unit) -> Option<(Date, Date)> {
    let day = on(now, count, unit)?;
    around(day, if unit == Unit::Weekend { Unit::Week } else { unit })
}

/// "Last week", "next Friday", "this May".
fn shifted(clause: &Clause<'_>, index: usize, count: i32) -> Option<(Date, Date)> {
    let now = clause.now;
    match clause.word(index + 1)? {
        TimeWord::Unit(unit) => around(on(now, count, unit)?, unit),
        TimeWord::Weekday(number) => weekday(now, number, count > 0 || (count == 0 && clause.future)),
        TimeWord::Month(month) => {
            let this = Date::new(now.year(), month, 1).ok()?;
            let years = match count {
                0 => 0,
                count if count < 0 => -i32::from(this >= now.first_of_month()),
                _ => i32::from(this <= now),
            };
            around(on(this, years, Unit::Year)?, Unit::Month)
        }
        _ => None,
    }
}
