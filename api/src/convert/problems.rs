//! Collects all problems of a request, so that its caller learns them at once.

use kimberly_core::{Error, FieldViolation, Result};

/// The problems found so far.
#[derive(Debug, Default)]
pub struct Problems {
    violations: Vec<FieldViolation>,
    other: Option<Error>,
}

impl Problems {
    /// Adds the problem of a field.
    pub fn add(&mut self, field: impl Into<String>, problem: impl Into<String>) {
        self.violations.push(FieldViolation::new(field, problem));
    }

    /// Returns the value. If there is none, adds the problem and returns the default.
    pub fn take<T: Default>(&mut self, field: &str, value: Result<T, String>) -> T {
        value.unwrap_or_else(|problem| {
            self.add(field, problem);
            T::default()
        })
    }

    /// Returns the value. If there is none, adds the problem and returns `None`.
    pub fn absorb<T>(&mut self, value: Result<T>) -> Option<T> {
        match value {
            Ok(value) => return Some(value),
            Err(Error::Invalid(found)) => self.violations.extend(found),
            Err(other) => self.other = self.other.take().or(Some(other)),
        }
        None
    }

    /// Returns `value` if there was no problem. Else fails with all violations, or the first error of another kind.
    pub fn finish<T>(self, value: T) -> Result<T> {
        match (self.violations.is_empty(), self.other) {
            (false, _) => Err(Error::Invalid(self.violations)),
            (true, Some(error)) => Err(error),
            (true, None) => Ok(value),
        }
    }
}

/// Returns the value of a required field.
pub fn required<T>(field: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| Error::invalid(field, "is required"))
}
