//! Tests of times that a query names.

use super::{analyze, at};
use crate::recall::times::Times;
use crate::time::{Span, Timestamp};

/// A Friday.
fn today() -> Timestamp {
    at(2026, 11, 20).plus(Span::hours(15))
}

fn times(text: &str) -> Times {
    analyze(text, &[], today()).times
}

#[track_caller]
fn means(text: &str, from: Timestamp, to: Timestamp) {
    assert_eq!(times(text).ranges, vec![from..to], "{text}");
}

#[test]
fn years_months_and_days_are_named() {
    let named = times("What happened on 7th May 2023?");
    assert_eq!((named.years, named.months, named.days), (vec![2023], vec![5], vec![7]));
    assert_eq!(times("in sept or Feb").months, [9, 2]);
    assert_eq!(times("July 45, 1066").days, [0_i8; 0]);
}

#[test]
fn months_that_are_also_words_need_something_beside_them() {
    assert!(times("May I march with Jan?").months.is_empty());
    assert_eq!(times("in May, before March, Jan 3").months, [5, 3, 1]);
}

#[test]
fn factor_grows_with_how_exactly_the_time_fits() {
    let named = times("7 May 2023");
    for (time, factor) in [(at(2023, 5, 7), 3.0), (at(2023, 5, 8), 2.0), (at(2022, 5, 7), 1.0)] {
        assert!((named.factor(time) - factor).abs() < 1e-9);
    }
    let last_may = times("last May");
    assert!((last_may.factor(at(2026, 5, 9)) - 3.0).abs() < 1e-9, "the month, and the one meant");
    assert!((last_may.factor(at(2025, 5, 9)) - 2.0).abs() < 1e-9, "the month in another year");
    assert!((times("swim").factor(at(2026, 5, 9)) - 1.0).abs() < 1e-9);
}

#[test]
fn relative_times_count_from_the_reference() {
    means("what did we do yesterday", at(2026, 11, 19), at(2026, 11, 20));
    means("Today's plan", at(2026, 11, 20), at(2026, 11, 21));
    means("3 days ago", at(2026, 11, 17), at(2026, 11, 18));
    means("a couple of days ago", at(2026, 11, 18), at(2026, 11, 19));
    means("two weeks ago", at(2026, 11, 3), at(2026, 11, 10));
    means("a month ago", at(2026, 10, 1), at(2026, 11, 1));
    means("last week", at(2026, 11, 9), at(2026, 11, 16));
    means("this week", at(2026, 11, 16), at(2026, 11, 23));
    means("last weekend", at(2026, 11, 14), at(2026, 11, 16));
    means("last month", at(2026, 10, 1), at(2026, 11, 1));
    means("last year", at(2025, 1, 1), at(2026, 1, 1));
    means("past 10 days", at(2026, 11, 10), at(2026, 11, 21));
    means("last night", at(2026, 11, 19), at(2026, 11, 20));
    means("last Friday", at(2026, 11, 13), at(2026, 11, 14));
    means("on Friday", at(2026, 11, 20), at(2026, 11, 21));
    means("last December", at(2025, 12, 1), at(2026, 1, 1));
    means("next month", at(2026, 12, 1), at(2027, 1, 1));
}

#[test]
fn day_before_yesterday_is_one_day() {
    means("the day before yesterday", at(2026, 11, 18), at(2026, 11, 19));
}

#[test]
fn words_that_name_no_time_mean_none() {
    for text in ["ago", "last", "long ago", "last one", "on time", "this is it", "next"] {
        assert!(times(text).ranges.is_empty(), "{text}");
    }
}

#[test]
fn calendar_ends_are_survived() {
    for reference in [Timestamp::MIN, Timestamp::MAX, Timestamp(i64::MIN), Timestamp(i64::MAX)] {
        for text in ["yesterday", "999 years ago", "next year", "last 999 weeks", "last May", "next December"] {
            let times = analyze(text, &[], reference).times;
            assert!(times.factor(reference) >= 1.0);
        }
    }
}
