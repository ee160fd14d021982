//! Calendar days and moments, in UTC.

use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

use super::{Period, Timestamp};
use crate::extraction::time_word::Unit;

pub(super) fn date(at: Timestamp) -> Option<Date> {
    Some(jiff::Timestamp::from_microsecond(at.0).ok()?.to_zoned(TimeZone::UTC).date())
}

/// The period from the start of one day to the start of another.
pub(super) fn period(from: Date, to: Date) -> Option<Period> {
    let moment = |date: Date| Some(Timestamp(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_microsecond()));
    Some(Period { from: moment(from)?, to: moment(to)? })
}

/// A day and the next one.
pub(super) fn one(day: Date) -> Option<(Date, Date)> {
    Some((day, day.tomorrow().ok()?))
}

/// Adds a number of units; `None` outside the calendar.
pub(super) fn on(day: Date, count: i32, unit: Unit) -> Option<Date> {
    let count = i64::from(count);
    let span = match unit {
        Unit::Day => jiff::Span::new().try_days(count),
        Unit::Week | Unit::Weekend => jiff::Span::new().try_weeks(count),
        Unit::Month => jiff::Span::new().try_months(count),
        Unit::Year => jiff::Span::new().try_years(count),
    };
    day.checked_add(span.ok()?).ok()
}

/// The whole unit that contains a day.
pub(super) fn around(day: Date, unit: Unit) -> Option<(Date, Date)> {
    let monday = day.checked_sub(i64::from(day.weekday().to_monday_zero_offset()).days()).ok()?;
    match unit {
        Unit::Day => one(day),
        Unit::Week => Some((monday, on(monday, 1, Unit::Week)?)),
        Unit::Weekend => Some((on(monday, 5, Unit::Day)?, on(monday, 7, Unit::Day)?)),
        Unit::Month => Some((day.first_of_month(), on(day.first_of_month(), 1, Unit::Month)?)),
        Unit::Year => Some((day.first_of_year(), on(day.first_of_year(), 1, Unit::Year)?)),
    }
}

/// The nearest such day of the week after or before a day, not counting the day itself.
pub(super) fn weekday(day: Date, number: i8, future: bool) -> Option<(Date, Date)> {
    let weekday = Weekday::from_monday_one_offset(number).ok()?;
    one(day.nth_weekday(if future { 1 } else { -1 }, weekday).ok()?)
}
