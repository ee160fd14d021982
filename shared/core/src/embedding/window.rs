//! The time of day in which new vectors may be computed, so that the work runs when no user is waiting.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::time::{Span, Timestamp};

/// Minutes in a day.
const DAY: u16 = 24 * 60;

/// A part of every day in UTC, or the whole day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Window {
    /// At any time.
    Always,
    /// From one minute of the day, 0 to 1,439, to another; past midnight if the second is not later. The two differ.
    Daily {
        /// The first minute.
        from: u16,
        /// The minute before which it ends.
        to: u16,
    },
}

impl Default for Window {
    /// 01:00 to 05:00.
    fn default() -> Self {
        Self::Daily { from: 60, to: 5 * 60 }
    }
}

impl Window {
    /// Parses `always` or `HH:MM-HH:MM`. The error continues a sentence that names the setting.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "always" {
            return Ok(Self::Always);
        }
        let ends = text.split_once('-').and_then(|(from, to)| Some((minute(from)?, minute(to)?)));
        match ends {
            Some((from, to)) if from != to => Ok(Self::Daily { from, to }),
            Some(_) => Err(format!("is {text:?}, which is empty; write \"always\" for the whole day")),
            None => Err(format!("is {text:?}; write two times in UTC such as \"01:00-05:00\", or \"always\"")),
        }
    }

    /// Reports whether the window is open.
    pub const fn is_open(self, now: Timestamp) -> bool {
        match self {
            Self::Always => true,
            Self::Daily { from, to } => {
                let (at, from, to) = (minute_of_day(now), from as i64, to as i64);
                if from < to { from <= at && at < to } else { from <= at || at < to }
            }
        }
    }

    /// Returns when it opens next; `now` if it is open.
    pub fn next_opening(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Daily { from, .. } if !self.is_open(now) => {
                let today = start_of_day(now).plus(Span::seconds(i64::from(from) * 60));
                if today >= now { today } else { today.plus(Span::days(1)) }
            }
            _ => now,
        }
    }
}

/// The start of this day.
pub(super) const fn start_of_day(now: Timestamp) -> Timestamp {
    Timestamp(now.day().saturating_mul(Span::days(1).0))
}

const fn minute_of_day(now: Timestamp) -> i64 {
    (now.0 - start_of_day(now).0) / Span::seconds(60).0
}

/// Parses `HH:MM` into minutes since midnight.
fn minute(text: &str) -> Option<u16> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |text: &str| {
        (text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse::<u16>().ok()).flatten()
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => f.write_str("always"),
            Self::Daily { from, to } => {
                let (from, to) = (from % DAY, to % DAY);
                write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
            }
        }
    }
}

impl TryFrom<String> for Window {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

impl From<Window> for String {
    fn from(window: Window) -> Self {
        window.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(hours: i64, minutes: i64) -> Timestamp {
        Timestamp(Span::days(20_000).0).plus(Span::seconds(hours * 3_600 + minutes * 60))
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in ["always", "01:00-05:00", "22:30-04:15", "00:00-23:59", "23:59-00:00"] {
            assert_eq!(Window::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Window::parse("01:00-05:00").unwrap(), Window::default());
    }

    #[test]
    fn what_is_no_part_of_a_day_is_refused_with_what_is_allowed() {
        for text in
            ["", "Always", "1:00-5:00", "01:00", "24:00-01:00", "01:60-02:00", "01:00-02:00-03:00", "+1:00-02:00"]
        {
            assert!(Window::parse(text).unwrap_err().contains("01:00-05:00"), "{text}");
        }
        assert!(Window::parse("03:00-03:00").unwrap_err().contains("always"));
    }

    #[test]
    fn it_is_open_from_its_first_minute_to_just_before_its_last_also_past_midnight() {
        let night = Window::parse("22:00-04:00").unwrap();
        for (now, open) in
            [(at(21, 59), false), (at(22, 0), true), (at(0, 0), true), (at(3, 59), true), (at(4, 0), false)]
        {
            assert_eq!(night.is_open(now), open, "{now:?}");
        }
        assert_eq!(night.next_opening(at(12, 0)), at(22, 0));
        assert_eq!(Window::default().next_opening(at(5, 0)), at(25, 0));
        assert_eq!(Window::default().next_opening(at(2, 30)), at(2, 30));
    }

    proptest! {
        #[test]
        fn the_next_opening_is_open_and_nothing_before_it_is(from in 0_u16..1440, to in 0_u16..1440, now in 0_i64..1_000_000) {
            prop_assume!(from != to);
            let (window, now) = (Window::Daily { from, to }, at(0, 0).plus(Span::seconds(now)));
            let opens = window.next_opening(now);
            prop_assert!(opens >= now && opens.since(now) < Span::days(1));
            prop_assert!(window.is_open(opens));
            prop_assert!(opens == now || !window.is_open(Timestamp(opens.0 - 1)));
        }
    }
}
