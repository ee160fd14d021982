//! Gathers everything that is wrong with a request, so that its caller learns it at once.

use kimberly_core::{Error, FieldViolation, Result};

/// What was found to be wrong so far.
#[derive(Debug, Default)]
pub struct Problems {
    violations: Vec<FieldViolation>,
    other: Option<Error>,
}

impl Problems {
    /// Notes what is wrong with a field.
    pub fn add(&mut self, field: impl Into<String>, problem: impl Into<String>) {
        self.violations.push(FieldViolation::new(field, problem));
    }

    /// The value, or a default after noting what is wrong with it.
    pub fn take<T: Default>(&mut self, field: &str, value: Result<T, String>) -> T {
        value.unwrap_or_else(|problem| {
            self.add(field, problem);
            T::default()
        })
    }

    /// The value, or `None` after noting what is wrong with it.
    pub fn absorb<T>(&mut self, value: Result<T>) -> Option<T> {
        match value {
            Ok(value) => return Some(value),
            Err(Error::Invalid(found)) => self.violations.extend(found),
            Err(other) => self.other = self.other.take().or(Some(other)),
        }
        None
    }

    /// `value` if nothing was wrong; else all violations, or the first error of another kind.
    pub fn finish<T>(self, value: T) -> Result<T> {
        match (self.violations.is_empty(), self.other) {
            (false, _) => Err(Error::Invalid(self.violations)),
            (true, Some(error)) => Err(error),
            (true, None) => Ok(value),
        }
    }
}

/// A field that must be there.
pub fn required<T>(field: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| Error::invalid(field, "is required"))
}
