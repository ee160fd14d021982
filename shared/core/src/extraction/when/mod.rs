//! The period that a clause names; relative ones are resolved against the time of the message: "last May", "three
//! days ago", "since 2019". Periods begin at the start of a day in UTC. Unclear ones are ignored.

mod absolute;
mod calendar;
mod relative;

use super::candidate::{Nature, Period, ValidTime};
use super::language::Language;
use super::time_word::TimeWord;
use super::tokens::Token;
use crate::time::Timestamp;

/// How a statement relates to the period it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    At,
    Since,
    Until,
}

/// Number of words before a period in which "since" or "until" may stand.
const BOUND_WITHIN: usize = 3;

/// Finds the first period that a clause names.
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

/// A clause with the time meanings of its words.
pub(super) struct Clause<'c> {
    text: &'c str,
    tokens: &'c [Token],
    words: &'c [Option<TimeWord>],
    /// The day of the message.
    now: jiff::civil::Date,
    /// Whether it is about the future.
    future: bool,
}

impl Clause<'_> {
    fn word(&self, index: usize) -> Option<TimeWord> {
        self.words.get(index).copied().flatten()
    }

    /// The value of a number word or of digits, with or without an ending such as "3rd".
    fn number(&self, index: usize) -> Option<i32> {
        if let Some(TimeWord::Number(number)) = self.word(index) {
            return Some(number);
        }
        let token = self.tokens.get(index).filter(|token| token.number)?;
        let word = self.text.get(token.range.clone())?;
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        if word.len() - digits.len() > 2 { None } else { digits.parse().ok() }
    }

    /// The year that a word names.
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

/// When a statement that names a period holds. A future period does not delay it: a plan holds as a plan from now on.
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
