//! Objects of predicates that allow one object at a time, and when two exclude each other.

use std::collections::BTreeSet;
use std::fmt;

use super::sentence::Token;
use super::sort::Sort;
use super::words::{self, Words};
use crate::time::Timestamp;

/// Microseconds in a year.
const YEAR: i64 = 31_556_952_000_000;
/// The year from which times count.
const EPOCH: i64 = 1970;
/// Tolerance in years between birth years derived from ages, since birthdays lie anywhere in a year.
const SAME_AGE: u64 = 1;
/// Most words of an object that is not a name.
const WORDS: usize = 4;

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The words of the name of a place.
    Place(BTreeSet<String>),
    /// The words of any other object.
    Words(BTreeSet<String>),
    /// The year in which an age began.
    Since(i64),
    /// How many there are.
    Count(usize),
    /// Month, day, and the year if stated.
    Day(usize, u16, Option<u16>),
}

impl Value {
    /// Reads the object at the beginning of tokens; `None` if it is not exactly one object.
    pub(super) fn of(language: &Words, sort: Sort, tokens: &[Token<'_>], at: Timestamp) -> Option<Self> {
        let many = |token: &Token<'_>| language.is_any(&["or", "and", "not", "never"], &token.word);
        if sort == Sort::Date {
            return if tokens.iter().any(many) { None } else { day(language, tokens) };
        }
        let end = tokens.iter().position(|token| token.ends).map_or(tokens.len(), |last| last + 1);
        let tokens = tokens.get(..end)?;
        if tokens.iter().any(many) {
            return None;
        }
        match sort {
            Sort::Place => named(language, tokens).map(Self::Place),
            Sort::Name => named(language, tokens).map(Self::Words),
            Sort::Number => Some(Self::Since(at.0.div_euclid(YEAR) - tokens.first()?.age()?)),
            Sort::Year => {
                let year = tokens.first()?.ordinal().filter(|year| (1900..2100).contains(year));
                year.map(|year| Self::Since(i64::from(year) - EPOCH))
            }
            Sort::Date | Sort::Text => text(language, tokens).map(Self::Words),
        }
    }

    /// Reports whether the two cannot both be the only object.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Since(one), Self::Since(two)) => one.abs_diff(*two) > SAME_AGE,
            (Self::Day(month, day, year), Self::Day(others_month, others_day, others_year)) => {
                (month, day) != (others_month, others_day)
                    || year.zip(*others_year).is_some_and(|(one, two)| one != two)
            }
            // A city lies in a region: naming both is no contradiction.
            (Self::Place(one), Self::Place(two)) => is_region(one) == is_region(two) && one.is_disjoint(two),
            (Self::Words(one), Self::Words(two)) => one.is_disjoint(two),
            (Self::Count(one), Self::Count(two)) => one != two,
            _ => false,
        }
    }

    /// Reports whether it names a place. One place may lie in another, which no list here tells.
    pub(super) const fn is_place(&self) -> bool {
        matches!(self, Self::Place(_))
    }
}

/// Equal values have equal texts.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |words: &BTreeSet<String>| words.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        match self {
            Self::Place(words) | Self::Words(words) => f.write_str(&all(words)),
            Self::Since(year) => write!(f, "{year}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Day(month, day, year) => write!(f, "{month} {day} {year:?}"),
        }
    }
}

fn is_region(place: &BTreeSet<String>) -> bool {
    place.iter().any(|word| words::all().iter().any(|language| language.is("region", word)))
}

/// Reads a name: only capitalized words, followed by nothing that may continue it. After an article, or before
/// further words, it may name anything: "the Lisbon office", "Porto hotels".
fn named(language: &Words, tokens: &[Token<'_>]) -> Option<BTreeSet<String>> {
    let length = tokens.iter().take_while(|token| token.capital()).count();
    // "I was born in May", "my husband is German".
    let other = ["small", "trait", "when"];
    let is_name = |token: &Token<'_>| {
        token.capital() && !language.is_any(&other, &token.word) && language.month(&token.word).is_none()
    };
    let begins = tokens.first().is_some_and(is_name);
    let over = tokens.get(length).is_none_or(|next| language.is("behind", &next.word));
    (begins && over).then(|| tokens.iter().take(length).map(|token| token.word.clone()).collect())
}

/// Reads the date around the only month among the tokens.
fn day(language: &Words, tokens: &[Token<'_>]) -> Option<Value> {
    let mut months = tokens.iter().enumerate().filter_map(|(at, token)| Some((at, language.month(&token.word)?)));
    let (at, month) = months.next()?;
    if months.next().is_some() {
        return None;
    }
    let number = |token: &Token<'_>| token.ordinal().filter(|day| (1..=31).contains(day));
    let of = |token: &&Token<'_>| !language.is("small", &token.word);
    let before = tokens.get(..at)?.iter().rev().find(of).and_then(number);
    let day = before.or_else(|| tokens.get(at + 1..)?.iter().find(of).and_then(number))?;
    let year = tokens.iter().find_map(|token| token.ordinal().filter(|year| (1000..3000).contains(year)));
    Some(Value::Day(month, day, year))
}

fn text(language: &Words, tokens: &[Token<'_>]) -> Option<BTreeSet<String>> {
    let loose = |token: &Token<'_>| language.is_any(&["clause", "pointing", "partly", "when", "mine"], &token.word);
    let said = tokens.iter().filter(|token| !language.is_any(&["small", "adverb"], &token.word));
    let words: BTreeSet<String> = said.map(|token| language.base(&token.word)).collect();
    (!tokens.iter().any(loose) && (1..=WORDS).contains(&words.len())).then_some(words)
}
