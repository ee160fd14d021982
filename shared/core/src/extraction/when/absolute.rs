//! Calendar periods: "2024-03-15", "15 March 2024", "March 15", "in May", "since 2019", "15.3.2024".

use jiff::civil::Date;

use super::Clause;
use super::calendar::{around, on, one};
use crate::extraction::time_word::{TimeWord, Unit};

/// The period that begins at the word at `index`.
pub(super) fn at(clause: &Clause<'_>, index: usize) -> Option<(Date, Date)> {
    iso(clause, index)
        .or_else(|| dotted(clause, index))
        .or_else(|| named(clause, index))
        .or_else(|| super::relative::ago(clause, index))
        .or_else(|| year(clause, index))
}

/// "2024-03-15".
fn iso(clause: &Clause<'_>, index: usize) -> Option<(Date, Date)> {
    let (year, month, day) = (clause.year(index)?, clause.number(index + 1)?, clause.number(index + 2)?);
    let dash = |index: usize| {
        let between = clause.tokens.get(index)?.range.end..clause.tokens.get(index + 1)?.range.start;
        clause.text.get(between).filter(|between| *between == "-")
    };
    dash(index).and(dash(index + 1))?;
    one(Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()?)
}

/// "15.3.2024", the German form.
fn dotted(clause: &Clause<'_>, index: usize) -> Option<(Date, Date)> {
    let token = clause.tokens.get(index).filter(|token| token.number)?;
    let mut parts = clause.text.get(token.range.clone())?.splitn(3, '.');
    let (day, month, year) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?);
    one(Date::new(crate::text::lists::year(year)?, month, day).ok()?)
}

/// "15 March 2024", "March 15, 2024", "March 2024", "in March".
fn named(clause: &Clause<'_>, index: usize) -> Option<(Date, Date)> {
    let day =
        |index: usize| clause.number(index).and_then(|day| i8::try_from(day).ok()).filter(|day| (1..=31).contains(day));
    let (month, before, behind) = match (clause.word(index), clause.word(index + 1)) {
        (Some(TimeWord::Month(month)), _) => (month, None, index + 1),
        (_, Some(TimeWord::Month(month))) => (month, Some(day(index)?), index + 2),
        _ => return None,
    };
    let after = if before.is_none() { day(behind) } else { None };
    let year = clause.year(behind + usize::from(after.is_some()));
    let given = before.or(after);
    // "May" and the like are also ordinary words: alone they need a word such as "in" before them.
    let led = index > 0 && matches!(clause.word(index - 1), Some(TimeWord::In | TimeWord::Since | TimeWord::Until));
    if given.is_none() && year.is_none() && !led {
        return None;
    }
    let first = Date::new(year.unwrap_or(clause.now.year()), month, 1).ok()?;
    let first = if year.is_some() { first } else { nearest(clause, first)? };
    match given {
        Some(day) => one(Date::new(first.year(), month, day).ok()?),
        None => around(first, Unit::Month),
    }
}

/// That month in the current, last or next year: past or future as the clause requires.
fn nearest(clause: &Clause<'_>, first: Date) -> Option<Date> {
    let this = clause.now.first_of_month();
    match clause.future {
        true if first < this => on(first, 1, Unit::Year),
        false if first > this => on(first, -1, Unit::Year),
        _ => Some(first),
    }
}

/// "In 2019".
fn year(clause: &Clause<'_>, index: usize) -> Option<(Date, Date)> {
    let year = clause.year(index)?;
    let before = clause.word(index.checked_sub(1)?)?;
    let led = matches!(before, TimeWord::In | TimeWord::Since | TimeWord::Until | TimeWord::Before);
    if led { around(Date::new(year, 1, 1).ok()?, Unit::Year) } else { None }
}
