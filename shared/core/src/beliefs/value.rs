//! The object of a predicate of which one object holds at a time, and when two exclude each other.

use std::collections::BTreeSet;

use super::sentence::Token;
use super::words::{self, Words};
use crate::time::Timestamp;

/// Microseconds of a year.
const YEAR: i64 = 31_556_952_000_000;
/// Years of birth that ages come to may differ by so much, as birthdays lie anywhere in a year.
const SAME_AGE: i64 = 1;

/// What objects are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// The name of a place.
    Place,
    /// Another name.
    Name,
    /// So many years when it was said.
    Number,
    /// A day.
    Date,
    /// Anything else.
    Text,
}

impl Sort {
    /// What data files call it.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "place" => Some(Self::Place),
            "name" => Some(Self::Name),
            "number" => Some(Self::Number),
            "date" => Some(Self::Date),
            "text" => Some(Self::Text),
            _ => None,
        }
    }
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    sort: Sort,
    words: BTreeSet<String>,
    /// The year that a number of years before leads to.
    since: Option<i64>,
}

impl Value {
    /// What stands at the beginning of tokens; `None` if that is not one object.
    pub(super) fn of(language: &Words, sort: Sort, tokens: &[Token<'_>], at: Timestamp, written: bool) -> Option<Self> {
        let end = tokens.iter().position(|token| token.ends).map_or(tokens.len(), |last| last + 1);
        let tokens = if sort == Sort::Date { tokens } else { &tokens[..end] };
        if tokens.iter().any(|token| language.is("or", &token.word) || ["and", "und"].contains(&token.word.as_str())) {
            return None;
        }
        let small = |token: &&Token<'_>| language.is("small", &token.word);
        let mut words: BTreeSet<String> = match sort {
            // In a sentence a name is what is in capitals; a detail holds nothing else.
            Sort::Place | Sort::Name if !written => {
                let named = tokens.iter().skip_while(small).take_while(|token| token.capital());
                named.map(|token| token.word.clone()).collect()
            }
            Sort::Number => tokens
                .first()
                .filter(|token| token.number().is_some())
                .map(|token| token.word.clone())
                .into_iter()
                .collect(),
            Sort::Date => tokens
                .iter()
                .filter(|token| token.number().is_some() || language.is("month", &token.word))
                .map(Token::plain)
                .collect(),
            _ => tokens.iter().filter(|token| !small(token)).map(|token| token.word.clone()).collect(),
        };
        let since = if sort == Sort::Number { Some(at.0.div_euclid(YEAR) - tokens.first()?.number()?) } else { None };
        words.retain(|word| !word.is_empty());
        (!words.is_empty()).then_some(Self { sort, words, since })
    }

    /// Whether not both can be the only object.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        let (one, two) = (&self.words, &other.words);
        match self.sort {
            Sort::Number => self.since.zip(other.since).is_some_and(|(one, two)| (one - two).abs() > SAME_AGE),
            Sort::Date => {
                let named =
                    |words: &BTreeSet<String>| words.iter().any(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
                let whole = |words: &BTreeSet<String>| named(words) && words.len() > 1;
                whole(one) && whole(two) && !one.is_subset(two) && !two.is_subset(one)
            }
            // A city lies in a country: that both are named says nothing.
            Sort::Place => is_region(one) == is_region(two) && one.is_disjoint(two),
            Sort::Name | Sort::Text => one.is_disjoint(two),
        }
    }
}

fn is_region(place: &BTreeSet<String>) -> bool {
    place.iter().any(|word| words::all().iter().any(|language| language.is("region", word)))
}
