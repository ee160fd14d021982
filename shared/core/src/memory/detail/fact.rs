//! A statement about a subject.

use serde::{Deserialize, Serialize};

use super::{Check, Form};
use crate::bounds::{MAX_PREDICATE_BYTES, MAX_SUBJECT_BYTES};

/// A statement about a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactDetail {
    /// The subject.
    pub subject: String,
    /// The predicate.
    pub predicate: String,
    /// The object.
    pub object: String,
}

impl Form for FactDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        check.name("subject", &mut self.subject, MAX_SUBJECT_BYTES);
        check.name("predicate", &mut self.predicate, MAX_PREDICATE_BYTES);
        check.text("object", &self.object);
    }

    fn texts(&self) -> Vec<&str> {
        vec![&self.subject, &self.predicate, &self.object]
    }

    fn subject(&self) -> Option<&str> {
        Some(&self.subject)
    }
}
