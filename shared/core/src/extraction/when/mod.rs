//! The period that a clause names, relative ones against the time of the message: "last May", "three days ago", "since 2019".
//! In UTC, from the start of a day on; what it cannot place it leaves.

mod absolute;
mod calendar;
mod relative;

use super::candidate::{Nature, Period, ValidTime};
use super::language::Language;
use super::tokens::Token;
use crate::time::Timestamp;

/// What a word means for times; `words/en.txt` says how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeWord {
    /// A day so many days from the message's.
    Day(i32),
    /// A unit.
    Unit(Unit),
    /// A month, 1-12.
    Month(i8),
    /// A day of the week, 1 for Monday.
    Weekday(i8),
    /// So many units on: "last" is -1.
    Shift(i32),
    /// A small number.
    Number(i32),
    /// Behind a span: it is past.
    Ago,
    /// Before a span: it is past.
    Before,
    /// Before a span: it is to come. Before a month or a year: then.
    In,
    /// What is said holds from then on.
    Since,
    /// What is said holds until then.
    Until,
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
    Year,
    /// Saturday and Sunday.
    Weekend,
}

/// How a statement stands to the period that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    At,
    Since,
    Until,
}

/// Words before a period in which "since" or "until" may stand.
const BOUND_WITHIN: usize = 3;

/// The first period that a clause names.
pub(super) fn period(
    language: &Language,
    text: &str,
    clause: &[Token],
    at: Timestamp,
    future: bool,
) -> Option<(Period, Bound)> {
    let now = calendar::date(at)?;
    let words: Vec<Option<TimeWord>> = clause.iter().map(|token| language.time_word(token.word)).collect();
    let read = Clause { text, tokens: clause, words: &words, now, future };
    (0..clause.len()).find_map(|index| {
        let (from, to) = relative::at(&read, index).or_else(|| absolute::at(&read, index))?;
        Some((calendar::period(from, to)?, read.bound(index)))
    })
}

/// A clause with what its words mean for times.
pub(super) struct Clause<'c> {
    text: &'c str,
    tokens: &'c [Token],
    words: &'c [Option<TimeWord>],
    /// The day of the message.
    now: jiff::civil::Date,
    /// Whether it tells of what is to come.
    future: bool,
}

impl Clause<'_> {
    fn word(&self, index: usize) -> Option<TimeWord> {
        self.words.get(index).copied().flatten()
    }

    /// The number that a word is, in digits, also with an ending such as "3rd".
    fn number(&self, index: usize) -> Option<i32> {
        if let Some(TimeWord::Number(number)) = self.word(index) {
            return Some(number);
        }
        let token = self.tokens.get(index).filter(|token| token.number)?;
        let word = self.text.get(token.range.clone())?;
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        if word.len() - digits.len() > 2 { None } else { digits.parse().ok() }
    }

    /// The year that a word is.
    fn year(&self, index: usize) -> Option<i16> {
        let token = self.tokens.get(index).filter(|token| token.number)?;
        crate::text::lists::year(self.text.get(token.range.clone())?)
    }

    fn bound(&self, index: usize) -> Bound {
        let before = self.words[index.saturating_sub(BOUND_WITHIN)..=index].iter().flatten();
        let mut bound = Bound::At;
        for word in before {
            match word {
                TimeWord::Since => bound = Bound::Since,
                TimeWord::Until => bound = Bound::Until,
                _ => {}
            }
        }
        bound
    }
}

/// Since when and until when a statement holds that names a period. A time to come makes no statement hold later: what is
/// planned is a plan from now on.
pub(super) fn valid(nature: Nature, named: Option<(Period, Bound)>, at: Timestamp) -> ValidTime {
    let past = |from: Timestamp| Some(from).filter(|from| *from <= at);
    match (named, nature) {
        (Some((period, Bound::Until)), _) => ValidTime { from: None, to: Some(period.to).filter(|to| *to > at) },
        (Some((period, Bound::Since)), _) | (Some((period, Bound::At)), Nature::Event) => {
            ValidTime { from: past(period.from), to: None }
        }
        _ => ValidTime::default(),
    }
}
