//! The problem with one field of a request.

/// One field that is missing or out of bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldViolation {
    /// Path of the field in the request, such as `memories[3].metadata.tags[0]`.
    pub field: String,
    /// The problem, the allowed values and the remedy. Continues the sentence that begins with the field.
    pub problem: String,
}

impl FieldViolation {
    /// Returns a violation of one field.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

/// Returns the fields that an error names.
#[cfg(test)]
pub(crate) fn refused_fields<T: std::fmt::Debug>(outcome: super::Result<T>) -> Vec<String> {
    match outcome {
        Err(super::Error::Invalid(found)) => found.into_iter().map(|violation| violation.field).collect(),
        other => panic!("{other:?}"),
    }
}
