//! Operations on keys, and their bounds.

use crate::bounds::{
    MAX_PAGE_SIZE, MAX_WORKING_ENTRY_BYTES, MAX_WORKING_KEY_BYTES, MAX_WORKING_LIFETIME, MIN_WORKING_LIFETIME,
};
use crate::error::FieldViolation;
use crate::memory::label_problem;
use crate::time::{Span, Timestamp};

/// One operation on the keys of a keyspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkingOp {
    /// Writes a text, replacing any old one.
    Set {
        /// The key.
        key: String,
        /// The text.
        value: String,
        /// Lifetime; the server's default if unset.
        lifetime: Option<Span>,
    },
    /// Reads a text.
    Get {
        /// The key.
        key: String,
    },
    /// Removes a key.
    Delete {
        /// The key.
        key: String,
    },
    /// Adds to an integer; a missing entry counts as 0.
    Increment {
        /// The key.
        key: String,
        /// The number to add.
        by: i64,
        /// New lifetime from now; if unset, the entry keeps its own.
        lifetime: Option<Span>,
    },
    /// Appends to a text; a missing entry counts as empty.
    Append {
        /// The key.
        key: String,
        /// The text to append.
        value: String,
        /// New lifetime from now; if unset, the entry keeps its own.
        lifetime: Option<Span>,
    },
    /// Changes an entry's lifetime.
    Expire {
        /// The key.
        key: String,
        /// New lifetime from now.
        lifetime: Span,
    },
    /// Lists keys in order.
    Keys {
        /// Only keys with this prefix.
        prefix: String,
        /// Only keys after this one; empty to start with the first.
        after: String,
        /// At most this many.
        limit: usize,
    },
}

impl WorkingOp {
    /// The key concerned; `None` for a list.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Set { key, .. }
            | Self::Get { key }
            | Self::Delete { key }
            | Self::Increment { key, .. }
            | Self::Append { key, .. }
            | Self::Expire { key, .. } => Some(key),
            Self::Keys { .. } => None,
        }
    }

    /// The request field that contains it.
    const fn name(&self) -> &'static str {
        match self {
            Self::Set { .. } => "set",
            Self::Get { .. } => "get",
            Self::Delete { .. } => "delete",
            Self::Increment { .. } => "increment",
            Self::Append { .. } => "append",
            Self::Expire { .. } => "expire",
            Self::Keys { .. } => "keys",
        }
    }

    /// Adds violations of bounds; `path` is prepended to the names of fields.
    pub(super) fn check(&self, path: &str, violations: &mut Vec<FieldViolation>) {
        let mut bad =
            |field: &str, problem: String| violations.push(FieldViolation::new(format!("{path}{field}"), problem));
        if let Some(problem) = self.key().and_then(|key| label_problem(key, MAX_WORKING_KEY_BYTES)) {
            bad("key", problem);
        }
        match self {
            Self::Set { value, .. } | Self::Append { value, .. } if value.contains('\0') => {
                bad(&format!("{}.value", self.name()), "holds a NUL; encode bytes as text, such as base64".to_owned());
            }
            Self::Set { value, .. } | Self::Append { value, .. } if value.len() > MAX_WORKING_ENTRY_BYTES => {
                let has = value.len();
                bad(
                    &format!("{}.value", self.name()),
                    format!("has {has} bytes; at most {MAX_WORKING_ENTRY_BYTES} are allowed"),
                );
            }
            Self::Keys { prefix, after, limit } => {
                for (field, text) in [("prefix", prefix), ("after", after)] {
                    if text.len() > MAX_WORKING_KEY_BYTES {
                        let has = text.len();
                        bad(field, format!("has {has} bytes; at most {MAX_WORKING_KEY_BYTES} are allowed"));
                    }
                }
                if !(1..=MAX_PAGE_SIZE).contains(limit) {
                    bad("limit", format!("is {limit}; 1 to {MAX_PAGE_SIZE} are allowed"));
                }
            }
            _ => {}
        }
        let allowed = MIN_WORKING_LIFETIME..=MAX_WORKING_LIFETIME;
        if self.lifetime().is_some_and(|lifetime| !allowed.contains(&lifetime)) {
            bad(&format!("{}.lifetime", self.name()), "is out of bounds; 1 s to 7 d are allowed".to_owned());
        }
    }

    const fn lifetime(&self) -> Option<Span> {
        match self {
            Self::Set { lifetime, .. } | Self::Increment { lifetime, .. } | Self::Append { lifetime, .. } => *lifetime,
            Self::Expire { lifetime, .. } => Some(*lifetime),
            Self::Get { .. } | Self::Delete { .. } | Self::Keys { .. } => None,
        }
    }
}

/// The result of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkingOutcome {
    /// Whether the key existed before.
    pub found: bool,
    /// The current text, for reads, increments and appends.
    pub value: Option<String>,
    /// When the entry expires, if it exists.
    pub expires_at: Option<Timestamp>,
    /// The keys of a list.
    pub keys: Vec<String>,
    /// Number of entries evicted by this write, the least recently used first.
    pub evicted: usize,
}
