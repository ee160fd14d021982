//! Checks the fields of a detail against their bounds; every violation names the path of its field.

use std::ops::RangeInclusive;

use crate::bounds::{MAX_DETAIL_ENTRIES, MAX_DETAIL_TEXT_BYTES, MAX_RECORD_COUNT};
use crate::error::FieldViolation;
use crate::memory::trimmed_label;

/// Collects the violations of a detail.
pub(super) struct Check<'a> {
    path: String,
    violations: &'a mut Vec<FieldViolation>,
}

impl<'a> Check<'a> {
    pub(super) fn new(path: String, violations: &'a mut Vec<FieldViolation>) -> Self {
        Self { path, violations }
    }

    /// Adds a violation of a field.
    pub(super) fn bad(&mut self, field: &str, problem: impl Into<String>) {
        self.violations.push(FieldViolation::new(format!("{}.{field}", self.path), problem.into()));
    }

    /// Checks a required name and trims it.
    pub(super) fn name(&mut self, field: &str, name: &mut String, most: usize) {
        match trimmed_label(name, most) {
            Ok(trimmed) => *name = trimmed.to_owned(),
            Err(problem) => self.bad(field, problem),
        }
    }

    /// Checks an optional name and trims it.
    pub(super) fn optional_name(&mut self, field: &str, name: &mut String, most: usize) {
        if name.trim().is_empty() && name.len() <= most {
            name.clear();
        } else {
            self.name(field, name, most);
        }
    }

    /// Checks a required text.
    pub(super) fn text(&mut self, field: &str, text: &str) {
        if text.trim().is_empty() && text.len() <= MAX_DETAIL_TEXT_BYTES {
            self.bad(field, format!("is empty; 1-{MAX_DETAIL_TEXT_BYTES} bytes are allowed"));
        } else {
            self.optional_text(field, text);
        }
    }

    /// Checks an optional text.
    pub(super) fn optional_text(&mut self, field: &str, text: &str) {
        if text.len() > MAX_DETAIL_TEXT_BYTES {
            let has = text.len();
            self.bad(field, format!("has {has} bytes; at most {MAX_DETAIL_TEXT_BYTES} are allowed: shorten it"));
        } else if text.contains('\0') {
            self.bad(field, "contains a NUL character; remove it");
        }
    }

    /// Checks a list of required texts.
    pub(super) fn texts(&mut self, field: &str, texts: &[String]) {
        if texts.len() > MAX_DETAIL_ENTRIES {
            self.bad(field, format!("has {} entries; at most {MAX_DETAIL_ENTRIES} are allowed", texts.len()));
            return;
        }
        for (index, text) in texts.iter().enumerate() {
            self.text(&format!("{field}[{index}]"), text);
        }
    }

    /// Checks that a number is within a range.
    pub(super) fn number(&mut self, field: &str, value: f64, allowed: RangeInclusive<f64>) {
        if !allowed.contains(&value) {
            self.bad(field, format!("is {value}; {} to {} is allowed", allowed.start(), allowed.end()));
        }
    }

    /// Checks a count.
    pub(super) fn count(&mut self, field: &str, value: i64) {
        if !u64::try_from(value).is_ok_and(|value| value <= MAX_RECORD_COUNT) {
            self.bad(field, format!("is {value}; 0 to {MAX_RECORD_COUNT} is allowed"));
        }
    }
}
