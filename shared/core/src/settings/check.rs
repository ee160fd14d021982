//! Checks a user's settings against their bounds.

use std::ops::RangeInclusive;

use super::embedding::Vectors;
use super::{ScoringChoice, UserSettings};
use crate::bounds::{
    ARCHIVE_BYTES, CORE_BYTES, EMBEDDING_LIMIT, GRACE, MAX_PRUNE_CAP_BYTES, MEDITATION_INTERVAL, QUOTA_BYTES,
    SHORT_TERM_LIFETIME, VECTOR_CAP,
};
use crate::error::{Error, FieldViolation, Result};
use crate::time::Span;

impl UserSettings {
    /// Checks every bound; every violation is reported, with paths such as `user_settings.grace`.
    pub fn check(&self) -> Result<()> {
        let mut violations = Vec::new();
        let mut hold = |name: &str, problem: Option<String>| {
            violations.extend(problem.map(|problem| FieldViolation::new(format!("user_settings.{name}"), problem)));
        };
        hold("short_term_quota_bytes", problem(self.short_term_quota_bytes, &QUOTA_BYTES));
        hold("long_term_quota_bytes", problem(self.long_term_quota_bytes, &QUOTA_BYTES));
        hold("permanent_quota_bytes", problem(self.permanent_quota_bytes, &QUOTA_BYTES));
        hold("archive_allowance_bytes", problem(self.archive_allowance_bytes, &ARCHIVE_BYTES));
        hold("core_memory_bytes", problem(self.core_memory_bytes, &CORE_BYTES));
        hold("grace", problem(self.grace, &GRACE));
        hold("daily_prune_cap_bytes", problem(self.daily_prune_cap_bytes, &(0..=MAX_PRUNE_CAP_BYTES)));
        hold("meditation_interval", problem(self.meditation_interval, &MEDITATION_INTERVAL));
        hold("short_term_lifetime", problem(self.short_term_lifetime, &SHORT_TERM_LIFETIME));
        hold("low_score", problem(self.low_score, &(0.0..=1.0)));
        hold("vector_cap", vectors_problem(self.vector_cap, &VECTOR_CAP));
        hold("daily_embedding_limit", vectors_problem(self.daily_embedding_limit, &EMBEDDING_LIMIT));
        hold("weekly_embedding_limit", vectors_problem(self.weekly_embedding_limit, &EMBEDDING_LIMIT));
        if let Some(ScoringChoice::Weights(weights)) = self.scoring {
            for violation in weights.violations() {
                let path = if violation.field == "weights" { String::new() } else { format!(".{}", violation.field) };
                hold(&format!("weights{path}"), Some(violation.problem));
            }
        }
        if violations.is_empty() { Ok(()) } else { Err(Error::Invalid(violations)) }
    }
}

fn problem<T: PartialOrd + Shown + Copy>(value: Option<T>, allowed: &RangeInclusive<T>) -> Option<String> {
    value.filter(|value| !allowed.contains(value)).map(|wrong| out_of_bounds(&wrong, allowed))
}

fn vectors_problem(value: Option<u64>, allowed: &RangeInclusive<u64>) -> Option<String> {
    problem(value.map(Vectors), &(Vectors(*allowed.start())..=Vectors(*allowed.end())))
}

/// Describes a value out of bounds and the allowed range; continues a sentence.
pub(super) fn out_of_bounds<T: Shown>(wrong: &T, allowed: &RangeInclusive<T>) -> String {
    format!("is {}; {} to {} is allowed", wrong.shown(), allowed.start().shown(), allowed.end().shown())
}

/// A value that messages show with its unit.
pub(super) trait Shown {
    /// The value with its unit.
    fn shown(&self) -> String;
}

impl Shown for u64 {
    fn shown(&self) -> String {
        format!("{self} bytes")
    }
}

impl Shown for Vectors {
    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Shown for f64 {
    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Shown for Span {
    fn shown(&self) -> String {
        const SECOND: i64 = Span::seconds(1).0;
        if self.0 % SECOND == 0 { format!("{} s", self.0 / SECOND) } else { format!("{} µs", self.0) }
    }
}
