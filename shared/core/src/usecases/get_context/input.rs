//! The request for a context, and its bounds.

use crate::bounds::{
    DEFAULT_CONTEXT_TOKENS, MAX_CONTEXT_TOKENS, MAX_QUERY_BYTES, MAX_SESSION_ID_BYTES, TOKENS_PER_BYTE,
};
use crate::context::{Budget, Estimator, Part};
use crate::error::{Error, FieldViolation, Result};
use crate::memory::{MemoryFilter, MemoryState, normalized_name};
use crate::recall::stages::relevance::NOTHING_BELOW;
use crate::time::Timestamp;

/// Percent of the model's window that a context may take at most, and takes by default.
const MOST_OF_WINDOW: usize = 75;
const OF_WINDOW: usize = 10;

/// A request for a context.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextInput {
    /// The current session; empty for none.
    pub session_id: String,
    /// The question to answer; empty for the person's last message.
    pub query: String,
    /// Most tokens; 0 for the default.
    pub budget_tokens: i64,
    /// Tokens of the window that it goes into; 0 if unknown.
    pub context_window_tokens: i64,
    /// The parts to include; empty for all.
    pub parts: Vec<Part>,
    /// Tokens per byte; `None` to estimate tokens by words.
    pub tokens_per_byte: Option<f64>,
    /// The memories that may be handed out; must name no session, kinds, layers or states.
    pub filter: MemoryFilter,
    /// Least relevance of what is recalled, 0 to 1; `None` to fill the budget with what is less relevant, too.
    pub min_relevance: Option<f64>,
    /// Whether to only look: nothing is noted as handed out, and no session is compacted.
    pub peek: bool,
}

/// A request within its bounds.
#[derive(Clone, Debug)]
pub(super) struct CheckedContext {
    pub(super) session: Option<String>,
    pub(super) query: Option<String>,
    pub(super) budget: Budget,
    /// Tokens of the window that it goes into, if known.
    pub(super) window: Option<usize>,
    pub(super) parts: Vec<Part>,
    pub(super) estimator: Estimator,
    pub(super) filter: MemoryFilter,
    /// Relevance below which a memory is only perhaps relevant.
    pub(super) likely: f64,
    /// Whether such memories fill the budget.
    pub(super) fills: bool,
}

impl ContextInput {
    pub(super) fn checked(self, now: Timestamp) -> Result<CheckedContext> {
        let mut violations = Vec::new();
        let mut bad = |field: &str, problem: String| violations.push(FieldViolation::new(field, problem));
        let session = normalized_name(Some(&self.session_id), MAX_SESSION_ID_BYTES).unwrap_or_else(|problem| {
            bad("session_id", problem);
            None
        });
        let bytes = self.query.len();
        if bytes > MAX_QUERY_BYTES {
            bad(
                "query",
                format!("has {bytes} bytes; at most {MAX_QUERY_BYTES} are allowed: send the part that matters"),
            );
        }
        let mut tokens = |field: &str, value: i64| {
            usize::try_from(value).ok().filter(|tokens| *tokens <= MAX_CONTEXT_TOKENS).unwrap_or_else(|| {
                bad(field, format!("is {value}; 1 to {MAX_CONTEXT_TOKENS} are allowed, or 0 for the default"));
                0
            })
        };
        let asked = tokens("budget_tokens", self.budget_tokens);
        let window = tokens("context_window_tokens", self.context_window_tokens);
        if self.tokens_per_byte.is_some_and(|factor| !TOKENS_PER_BYTE.contains(&factor)) {
            let (least, most) = (TOKENS_PER_BYTE.start(), TOKENS_PER_BYTE.end());
            bad("tokens_per_byte", format!("is outside {least} to {most}; leave it unset to estimate by words"));
        }
        let likely = self.min_relevance.unwrap_or(NOTHING_BELOW);
        if !(0.0..=1.0).contains(&likely) {
            bad("min_relevance", format!("is {likely}; 0 to 1 is allowed"));
        }
        let filter = &self.filter;
        if filter.session_id.is_some()
            || !filter.kinds.is_empty()
            || !filter.layers.is_empty()
            || !filter.states.is_empty()
        {
            bad("filter", "must not set session_id, kinds, layers or states: `parts` chooses them".to_owned());
        }
        match filter.check() {
            Err(Error::Invalid(more)) => violations.extend(more),
            checked => checked?,
        }
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        let mut parts = if self.parts.is_empty() { Part::ALL.to_vec() } else { self.parts };
        parts.sort_unstable();
        parts.dedup();
        Ok(CheckedContext {
            session,
            query: Some(self.query).filter(|query| !query.trim().is_empty()),
            budget: budget(asked, window),
            window: Some(window).filter(|tokens| *tokens > 0),
            parts,
            estimator: self.tokens_per_byte.map_or(Estimator::Words, Estimator::PerByte),
            filter: MemoryFilter {
                valid_at: self.filter.valid_at.or(Some(now)),
                states: vec![MemoryState::Active],
                ..self.filter
            },
            likely,
            fills: self.min_relevance.is_none(),
        })
    }
}

/// Returns the tokens of a context for the requested number and the window; 0 means not given.
fn budget(asked: usize, window: usize) -> Budget {
    let most = (window > 0).then_some(window * MOST_OF_WINDOW / 100);
    let tokens = match (asked, window) {
        (0, 0) => DEFAULT_CONTEXT_TOKENS,
        (0, window) => window * OF_WINDOW / 100,
        (asked, _) => asked.min(most.unwrap_or(asked)),
    };
    Budget { tokens, most }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::refused_fields;

    fn refused(input: ContextInput) -> Vec<String> {
        refused_fields(input.checked(Timestamp(0)))
    }

    #[test]
    fn every_bound_is_held_and_told() {
        let wrong = ContextInput {
            session_id: "x".repeat(MAX_SESSION_ID_BYTES + 1),
            query: "x".repeat(MAX_QUERY_BYTES + 1),
            budget_tokens: -1,
            context_window_tokens: i64::MAX,
            tokens_per_byte: Some(f64::NAN),
            min_relevance: Some(1.1),
            filter: MemoryFilter { session_id: Some("s".to_owned()), ..MemoryFilter::default() },
            ..ContextInput::default()
        };
        let fields =
            ["session_id", "query", "budget_tokens", "context_window_tokens", "tokens_per_byte", "min_relevance"];
        assert_eq!(refused(wrong), [&fields[..], &["filter"]].concat());
    }

    #[test]
    fn a_session_of_white_space_is_none() {
        let asked = |session: &str| ContextInput { session_id: session.to_owned(), ..ContextInput::default() };
        assert_eq!(asked(" \t").checked(Timestamp(0)).unwrap().session, None);
        assert_eq!(asked(" s ").checked(Timestamp(0)).unwrap().session.as_deref(), Some("s"));
    }

    #[test]
    fn budget_follows_from_what_is_said() {
        let of = |asked, window| (budget(asked, window).tokens, budget(asked, window).most);
        let most = Some(6_000);
        assert_eq!([of(0, 0), of(0, 8_000)], [(2_000, None), (800, most)]);
        assert_eq!([of(500, 0), of(7_000, 8_000)], [(500, None), (6_000, most)]);
        let parts = ContextInput { parts: vec![Part::Turns, Part::Core, Part::Turns], ..ContextInput::default() };
        assert_eq!(parts.checked(Timestamp(0)).unwrap().parts, [Part::Core, Part::Turns]);
    }
}
