//! Links as callers submit them, and their bounds.

use serde::{Deserialize, Serialize};

use super::{Link, Relation};
use crate::bounds::MAX_LINK_EVIDENCE_BYTES;
use crate::error::{Error, FieldViolation, Result};
use crate::ids::MemoryId;
use crate::memory::SourceType;
use crate::time::Timestamp;

/// A link as a caller submits it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkDraft {
    /// The record it leads from.
    pub from: MemoryId,
    /// The relation of `from` to `to`.
    pub relation: Relation,
    /// The record it leads to.
    pub to: MemoryId,
    /// Strength; `None` for 1.
    pub weight: Option<f64>,
    /// Confidence; `None` for 1.
    pub confidence: Option<f64>,
    /// How it became known; `None` for told by the user.
    pub source: Option<SourceType>,
    /// A quote or a reason; empty for none.
    pub evidence: String,
}

/// Returns what is wrong with a quote or reason, if anything.
pub(crate) fn evidence_problem(text: &str) -> Option<String> {
    if text.len() > MAX_LINK_EVIDENCE_BYTES {
        return Some(format!("has {} bytes; at most {MAX_LINK_EVIDENCE_BYTES} are allowed", text.len()));
    }
    text.contains('\0').then(|| "contains a NUL character; remove it".to_owned())
}

impl LinkDraft {
    /// A draft with defaults.
    pub fn new(from: MemoryId, relation: Relation, to: MemoryId) -> Self {
        Self { from, relation, to, weight: None, confidence: None, source: None, evidence: String::new() }
    }

    /// Checks the bounds and builds the link; errors name the fields below `path`.
    pub fn checked(self, path: &str, created_at: Timestamp) -> Result<Link> {
        let mut violations = Vec::new();
        let mut bad =
            |field: &str, problem: String| violations.push(FieldViolation::new(format!("{path}.{field}"), problem));
        let mut share = |field: &str, given: Option<f64>| {
            let share = given.unwrap_or(1.0);
            if !(0.0..=1.0).contains(&share) {
                bad(field, format!("is {share}; 0 to 1 is allowed"));
            }
            share
        };
        let (weight, confidence) = (share("weight", self.weight), share("confidence", self.confidence));
        if let Some(problem) = evidence_problem(&self.evidence) {
            bad("evidence", problem);
        }
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        Ok(Link { weight, confidence, ..self.into_link(created_at) })
    }

    /// Builds the link from a draft that is within bounds.
    pub(crate) fn into_link(self, created_at: Timestamp) -> Link {
        Link {
            from: self.from,
            relation: self.relation,
            to: self.to,
            weight: self.weight.unwrap_or(1.0),
            confidence: self.confidence.unwrap_or(1.0),
            source: self.source.unwrap_or(SourceType::ToldByUser),
            created_at,
            verified_at: None,
            evidence: (!self.evidence.is_empty()).then_some(self.evidence),
            span: None,
        }
    }
}
