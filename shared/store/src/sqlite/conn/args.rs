//! Parameter values of a statement.

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, Value};

/// Parameter values of one or several statements, in order.
#[derive(Clone, Default)]
pub(crate) struct Args(Vec<Value>);

impl Args {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a value and returns the arguments.
    pub(crate) fn with(mut self, value: impl ToSql) -> Self {
        self.push(value);
        self
    }

    /// Adds a value.
    pub(crate) fn push(&mut self, value: impl ToSql) {
        // Conversion never fails for the types used here; if it did, the statement would read NULL and fail its constraint.
        let value = match value.to_sql() {
            Ok(ToSqlOutput::Owned(value)) => Some(value),
            Ok(ToSqlOutput::Borrowed(value)) => Value::try_from(value).ok(),
            _ => None,
        };
        debug_assert!(value.is_some());
        self.0.push(value.unwrap_or(Value::Null));
    }

    pub(super) fn get(&self, index: usize) -> Option<&Value> {
        self.0.get(index)
    }
}
