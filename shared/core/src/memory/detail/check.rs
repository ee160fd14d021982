//! How the fields of a detail are held to their bounds: every one that is wrong is named by its path.

use std::ops::RangeInclusive;

use crate::bounds::{MAX_DETAIL_ENTRIES, MAX_DETAIL_TEXT_BYTES, MAX_RECORD_COUNT};
use crate::error::FieldViolation;
use crate::memory::trimmed_label;

/// Collects what is wrong with a detail.
pub(super) struct Check<'a> {
    path: String,
    violations: &'a mut Vec<FieldViolation>,
}

impl<'a> Check<'a> {
    pub(super) fn new(path: String, violations: &'a mut Vec<FieldViolation>) -> Self {
        Self { path, violations }
    }

    /// Says what is wrong with a field.
    pub(super) fn bad(&mut self, field: &str, problem: impl Into<String>) {
        self.violations.push(FieldViolation::new(format!("{}.{field}", self.path), problem.into()));
    }

    /// A name that must be there, trimmed.
    pub(super) fn name(&mut self, field: &str, name: &mut String, most: usize) {
        match trimmed_label(name, most) {
            Ok(trimmed) => *name = trimmed.to_owned(),
            Err(problem) => self.bad(field, problem),
        }
    }

    /// A name that may be empty, trimmed.
    pub(super) fn optional_name(&mut self, field: &str, name: &mut String, most: usize) {
        if name.trim().is_empty() && name.len() <= most {
            name.clear();
        } else {
            self.name(field, name, most);
        }
    }

    /// A text that must be there.
    pub(super) fn text(&mut self, field: &str, text: &str) {
        if text.trim().is_empty() && text.len() <= MAX_DETAIL_TEXT_BYTES {
            self.bad(field, format!("is empty; 1-{MAX_DETAIL_TEXT_BYTES} bytes are allowed"));
        } else {
            self.optional_text(field, text);
        }
    }

    /// A text that may be empty.
    pub(super) fn optional_text(&mut self, field: &str, text: &str) {
        if text.len() > MAX_DETAIL_TEXT_BYTES {
            let has = text.len();
            self.bad(field, format!("has {has} bytes; at most {MAX_DETAIL_TEXT_BYTES} are allowed: shorten it"));
        } else if text.contains('\0') {
            self.bad(field, "holds a NUL character; remove it");
        }
    }

    /// Texts, each of which must be there.
    pub(super) fn texts(&mut self, field: &str, texts: &[String]) {
        if texts.len() > MAX_DETAIL_ENTRIES {
            self.bad(field, format!("has {} entries; at most {MAX_DETAIL_ENTRIES} are allowed", texts.len()));
            return;
        }
        for (index, text) in texts.iter().enumerate() {
            self.text(&format!("{field}[{index}]"), text);
        }
    }

    /// A number within a range.
    pub(super) fn number(&mut self, field: &str, value: f64, allowed: RangeInclusive<f64>) {
        if !allowed.contains(&value) {
            self.bad(field, format!("is {value}; {} to {} is allowed", allowed.start(), allowed.end()));
        }
    }

    /// A count.
    pub(super) fn count(&mut self, field: &str, value: i64) {
        if !u64::try_from(value).is_ok_and(|value| value <= MAX_RECORD_COUNT) {
            self.bad(field, format!("is {value}; 0 to {MAX_RECORD_COUNT} is allowed"));
        }
    }
}
