//! The numbers of a change.

use serde_json::{Map, Number, Value};

use crate::memory::{MemoryState, Tier};
use crate::time::Span;

/// The memory's tier, by its index in [`Tier::ALL`].
pub const TIER: &str = "tier";
/// The memory's state before the change, by its index in [`MemoryState::ALL`].
pub const STATE: &str = "state";
/// The memory's bytes.
pub const BYTES: &str = "bytes";
/// The memory's score.
pub const SCORE: &str = "score";

/// Numbers by name. It cannot hold text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body(Vec<(&'static str, Number)>);

impl Body {
    /// Returns the numbers that every change of a memory holds.
    pub fn standing(tier: Tier, state: MemoryState, bytes: u64, score: f64) -> Self {
        Self::default()
            .choice(TIER, tier, Tier::ALL)
            .choice(STATE, state, MemoryState::ALL)
            .whole(BYTES, bytes)
            .part(SCORE, score)
    }

    /// Adds a whole number.
    #[must_use]
    pub fn whole(mut self, name: &'static str, number: u64) -> Self {
        self.0.push((name, number.into()));
        self
    }

    /// Adds a fraction; NaN and infinity count as 0.
    #[must_use]
    pub fn part(mut self, name: &'static str, number: f64) -> Self {
        self.0.push((name, Number::from_f64(number).unwrap_or_else(|| 0.into())));
        self
    }

    /// Adds a span of time, in microseconds.
    #[must_use]
    pub fn span(mut self, name: &'static str, span: Span) -> Self {
        self.0.push((name, span.0.into()));
        self
    }

    /// Adds a value of a closed set, by its index.
    #[must_use]
    pub fn choice<T: PartialEq + Copy>(self, name: &'static str, value: T, all: &[T]) -> Self {
        let index = all.iter().position(|one| *one == value).unwrap_or_default();
        self.whole(name, index as u64)
    }

    /// Appends the numbers of another body.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns the number of this name.
    pub fn get(&self, name: &str) -> Option<&Number> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, number)| number)
    }

    /// Reports whether there is a number of this name.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns a whole number; 0 if there is none.
    pub fn count(&self, name: &str) -> u64 {
        self.get(name).and_then(Number::as_u64).unwrap_or_default()
    }

    /// Returns a fraction; 0 if there is none.
    pub fn real(&self, name: &str) -> f64 {
        self.get(name).and_then(Number::as_f64).unwrap_or_default()
    }

    /// Returns a span of time; empty if there is none.
    pub fn time(&self, name: &str) -> Span {
        Span(self.get(name).and_then(Number::as_i64).unwrap_or_default())
    }

    /// Returns a value of a closed set.
    pub fn chosen<T: Copy>(&self, name: &str, all: &[T]) -> Option<T> {
        let index = self.get(name)?.as_u64()?;
        all.get(usize::try_from(index).ok()?).copied()
    }

    /// Iterates over all numbers with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.0.iter().map(|(name, number)| (*name, number.as_f64().unwrap_or_default()))
    }

    /// Drops all numbers except these.
    pub(crate) fn retain(&mut self, names: &[&str]) {
        self.0.retain(|(name, _)| names.contains(name));
    }

    /// Returns the numbers as a JSON object.
    pub fn to_json(&self) -> String {
        let numbers = self.0.iter().map(|(name, number)| ((*name).to_owned(), Value::Number(number.clone())));
        Value::Object(numbers.collect::<Map<_, _>>()).to_string()
    }

    /// Reads what [`Body::to_json`] wrote. `names` are those that its kind declares, in order. `None` for anything
    /// else.
    pub fn from_json(json: &str, names: impl Iterator<Item = &'static str>) -> Option<Self> {
        let mut found: Map<String, Value> = serde_json::from_str(json).ok()?;
        let mut numbers = Vec::with_capacity(found.len());
        for name in names {
            match found.remove(name) {
                Some(Value::Number(number)) => numbers.push((name, number)),
                Some(_) => return None,
                None => {}
            }
        }
        found.is_empty().then_some(Self(numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_reads_back_to_the_last_digit_and_holds_nothing_but_numbers() {
        let body = Body::standing(Tier::Permanent, MemoryState::Archived, u64::MAX, 0.1 + 0.2).span("age", Span(-3));
        let names = || [TIER, STATE, BYTES, SCORE, "age"].into_iter();
        assert_eq!(Body::from_json(&body.to_json(), names()), Some(body));
        for wrong in ["", "[]", r#"{"tier":"1"}"#, r#"{"other":1}"#, r#"{"tier":null}"#] {
            assert_eq!(Body::from_json(wrong, names()), None, "{wrong}");
        }
    }
}
