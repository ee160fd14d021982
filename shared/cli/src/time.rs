//! Times as people write and read them.

use kimberly_core::time::MONTHS;
use kimberly_runtime::SystemClock;
use kimberly_runtime::config::Period;
use prost_types::Timestamp;

use crate::error::{CliError, CliResult};

/// Parses `2023-05-08`, `2023-05-08 13:56`, or RFC 3339; UTC unless stated otherwise.
pub(crate) fn parse(raw: &str) -> Result<Timestamp, String> {
    let mut text = raw.trim().replacen(' ', "T", 1);
    if text.len() == "2023-05-08T13:56".len() {
        text.push_str(":00");
    }
    if text.len() == "2023-05-08T13:56:00".len() {
        text.push('Z');
    }
    text.parse()
        .map_err(|_| format!("{raw:?} is not a time; write 2023-05-08, 2023-05-08 13:56 or 2023-05-08T13:56:00+02:00"))
}

/// Parses the format of LoCoMo's sessions: `1:56 pm on 8 May, 2023`.
pub(crate) fn parse_spoken(raw: &str) -> Option<Timestamp> {
    let text = raw.to_lowercase().replace(',', " ");
    let mut words = text.split_whitespace();
    let (hour, minute) = words.next()?.split_once(':')?;
    let afternoon = match words.next()? {
        "am" => 0,
        "pm" => 12,
        _ => return None,
    };
    (words.next()? == "on").then_some(())?;
    let day: u8 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)?;
    let year: i64 = words.next()?.parse().ok()?;
    let hour: u8 = hour.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    Timestamp::date_time(year, u8::try_from(month + 1).ok()?, day, hour % 12 + afternoon, minute.parse().ok()?, 0).ok()
}

/// Converts a span for the contract.
pub(crate) fn wire(span: Period) -> CliResult<prost_types::Duration> {
    prost_types::Duration::try_from(span.0).map_err(|_| CliError::usage("the span is too long"))
}

/// A time as RFC 3339; empty if unset.
pub(crate) fn exact(time: Option<&Timestamp>) -> String {
    time.map_or_else(String::new, ToString::to_string)
}

/// A time to the minute; "-" if unset.
pub(crate) fn minute(time: Option<&Timestamp>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| time.to_string().chars().take(16).collect::<String>().replace('T', " "))
}

/// The day of a time; "-" if unset.
pub(crate) fn day(time: Option<&Timestamp>) -> String {
    minute(time).chars().take(10).collect()
}

/// The time elapsed, in one unit.
pub(crate) fn ago(time: Option<&Timestamp>) -> String {
    let Some(time) = time else { return "never".to_owned() };
    let seconds = now_seconds() - time.seconds;
    match seconds {
        ..0 => format!("in {}", one_unit(-seconds)),
        0..10 => "just now".to_owned(),
        _ => format!("{} ago", one_unit(seconds)),
    }
}

/// The current Unix time in seconds.
pub(crate) fn now_seconds() -> i64 {
    SystemClock.unix_seconds()
}

fn one_unit(seconds: i64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_people_write_them() {
        for raw in ["2023-05-08T13:56:00Z", "2023-05-08 13:56", "2023-05-08T15:56:00+02:00", "2023-05-08T13:56:00"] {
            assert_eq!(exact(parse(raw).ok().as_ref()), "2023-05-08T13:56:00Z", "{raw}");
        }
        assert_eq!(exact(parse("2023-05-08").ok().as_ref()), "2023-05-08T00:00:00Z");
        for raw in ["", "yesterday", "2023-13-01", "13:56"] {
            assert!(parse(raw).is_err(), "{raw}");
        }
    }

    #[test]
    fn spoken_times_read_at_noon_and_midnight_too() {
        let read = |raw| exact(parse_spoken(raw).as_ref());
        assert_eq!(read("1:56 pm on 8 May, 2023"), "2023-05-08T13:56:00Z");
        assert_eq!(read("12:05 am on 1 January, 2024"), "2024-01-01T00:05:00Z");
        assert_eq!(read("12:05 pm on 29 February, 2024"), "2024-02-29T12:05:00Z");
        for raw in [
            "",
            "13:56 on 8 May, 2023",
            "1:56 pm on 8 Mai, 2023",
            "1:56 pm on 31 February, 2023",
            "0:10 am on 1 May, 2023",
        ] {
            assert_eq!(parse_spoken(raw), None, "{raw}");
        }
    }
}
