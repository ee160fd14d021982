//! A query, and its bounds.

use std::collections::BTreeMap;

use crate::bounds;
use crate::error::{Error, FieldViolation, Result};
use crate::memory::{MemoryFilter, MemoryState, RecordKind};
use crate::recall::by_model::Without;
use crate::recall::{Plan, Stage, Stages, Weights};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;

/// A query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryInput {
    /// A question, a few words or a piece of conversation, 1-8,192 bytes.
    pub query: String,
    /// Most results, 1-100; 0 for 10.
    pub top_k: i32,
    /// The memories that may be found; deleted ones never are.
    pub filter: MemoryFilter,
    /// Whether to return the parts of each score.
    pub explain: bool,
    /// The current session; empty for none.
    pub active_session_id: String,
    /// The time that "yesterday" refers to; now if `None`.
    pub reference_time: Option<Timestamp>,
    /// Least relevance of the results, 0 to 1; `None` for the server's default.
    pub min_score: Option<f64>,
    /// Stages to turn on or off, by name; the others stay as the server has them.
    pub stages: BTreeMap<String, bool>,
    /// Bytes of each content that the caller reads, so highlights lie within them; `None` for all.
    pub max_content_bytes: Option<usize>,
    /// The weights of the signals. Changed only to measure the contribution of each signal.
    pub weights: Weights,
}

/// A query within its bounds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CheckedQuery {
    pub text: String,
    /// Other words for it by the language model, or why there are none.
    pub alternatives: std::result::Result<Vec<String>, Without>,
    pub top_k: usize,
    /// `None` if the filter lets only deleted memories through.
    pub filter: Option<MemoryFilter>,
    pub active_session: Option<String>,
    pub reference: Timestamp,
    pub min_score: f64,
    pub max_content_bytes: Option<usize>,
    pub plan: Plan,
    /// Whether the caller asked for what was valid at a time.
    pub valid_at_asked: bool,
}

impl QueryInput {
    /// Checks every bound; reports all violations.
    pub(super) fn checked(self, now: Timestamp, defaults: &ServerDefaults) -> Result<CheckedQuery> {
        let mut violations = Vec::new();
        let mut bad = |field: &str, problem: String| violations.push(FieldViolation::new(field, problem));
        let (bytes, most) = (self.query.len(), bounds::MAX_QUERY_BYTES);
        if bytes == 0 {
            bad("query", format!("is required: 1-{most} bytes of any text"));
        } else if bytes > most {
            bad("query", format!("has {bytes} bytes; at most {most} are allowed: send the part that matters"));
        }
        let top_k = if self.top_k == 0 { Some(bounds::DEFAULT_TOP_K) } else { usize::try_from(self.top_k).ok() };
        let top_k = top_k.filter(|k| *k <= bounds::MAX_TOP_K).unwrap_or_else(|| {
            bad(
                "top_k",
                format!(
                    "is {}; 1 to {} are allowed, and 0 for {}",
                    self.top_k,
                    bounds::MAX_TOP_K,
                    bounds::DEFAULT_TOP_K
                ),
            );
            bounds::DEFAULT_TOP_K
        });
        let (bytes, most) = (self.active_session_id.len(), bounds::MAX_SESSION_ID_BYTES);
        if bytes > most {
            bad("active_session_id", format!("has {bytes} bytes; at most {most} are allowed"));
        }
        if self.reference_time.is_some_and(|at| at < Timestamp::MIN || at > Timestamp::MAX) {
            bad("reference_time", "is outside the years 1 to 9999".to_owned());
        }
        let min_score = self.min_score.unwrap_or(defaults.min_score);
        if !(0.0..=1.0).contains(&min_score) {
            bad("min_score", format!("is {min_score}; 0 to 1 are allowed"));
        }
        let stages = defaults.stages.switched(&self.stages).unwrap_or_else(|problem| {
            bad("stages", problem);
            Stages::default()
        });
        if let Err(error) = self.filter.check() {
            match error {
                Error::Invalid(more) => violations.extend(more),
                other => return Err(other),
            }
        }
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        let valid_at_asked = self.filter.valid_at.is_some() || self.filter.known_as_of.is_some();
        Ok(CheckedQuery {
            text: self.query,
            alternatives: Err(Without::NotNeeded),
            top_k,
            filter: recallable(self.filter).map(|filter| filter.holding(now)),
            active_session: Some(self.active_session_id.trim().to_owned()).filter(|id| !id.is_empty()),
            reference: self.reference_time.unwrap_or(now),
            min_score,
            max_content_bytes: self.max_content_bytes,
            valid_at_asked,
            plan: Plan { stages: explained(stages, self.explain), weights: self.weights },
        })
    }
}

/// Turns the stage on for a caller who asks for explanations.
fn explained(stages: Stages, explain: bool) -> Stages {
    stages.with(Stage::Explain, explain || stages.on(Stage::Explain))
}

/// Restricts a filter to what may be recalled; `None` if nothing can.
fn recallable(mut filter: MemoryFilter) -> Option<MemoryFilter> {
    if filter.kinds.is_empty() {
        // Blocks of core memory are in each prompt anyway.
        filter.kinds = RecordKind::ALL.iter().copied().filter(|kind| *kind != RecordKind::Block).collect();
    }
    let asked_for_some = !filter.states.is_empty();
    filter.states.retain(|state| *state != MemoryState::Deleted);
    (!asked_for_some || !filter.states.is_empty()).then_some(filter)
}
