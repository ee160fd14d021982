//! Working memory: texts by key that a session needs for a limited time, such as scratch data and caches. It is
//! ephemeral and not part of the records: it appears in no quota, export, backup or audit.
//!
//! A [`WorkingStore`] holds the keys of one [`Keyspace`] and alone implements the operations; adapters of
//! [`WorkingMemory`](crate::ports::WorkingMemory) hold or load stores. Nothing here waits or reads a clock.

mod entry;
mod op;
mod ops;
mod store;

pub use entry::WorkingEntry;
pub use op::{WorkingOp, WorkingOutcome};
pub use ops::WorkingOps;
pub use store::WorkingStore;

use crate::bounds::{MAX_NAMESPACE_BYTES, MAX_SESSION_ID_BYTES};
use crate::error::{Error, FieldViolation, Result};
use crate::ids::UserId;
use crate::memory::trimmed_label;
use crate::time::Span;

/// The owner of the keys: user, namespace and session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Keyspace {
    /// The user.
    pub user: UserId,
    /// The namespace; empty for the default one.
    pub namespace: String,
    /// The session; empty for keys shared by all sessions of the user.
    pub session_id: String,
}

impl Keyspace {
    /// Checks and trims the names.
    pub fn parse(user: UserId, namespace: &str, session_id: &str) -> Result<Self> {
        let mut violations = Vec::new();
        let mut name = |field: &str, raw: &str, most: usize| match trimmed_label(raw, most) {
            Ok(name) => name.to_owned(),
            Err(_) if raw.is_empty() => String::new(),
            Err(problem) => {
                violations.push(FieldViolation::new(field, problem));
                String::new()
            }
        };
        let namespace = name("namespace", namespace, MAX_NAMESPACE_BYTES);
        let session_id = name("session_id", session_id, MAX_SESSION_ID_BYTES);
        if violations.is_empty() { Ok(Self { user, namespace, session_id }) } else { Err(Error::Invalid(violations)) }
    }
}

/// Limits on size and lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkingLimits {
    /// Default lifetime of an entry.
    pub lifetime: Span,
    /// Most bytes of keys and values of one keyspace.
    pub store_bytes: usize,
    /// Most bytes of all keyspaces together, if they are held in the process.
    pub total_bytes: usize,
}
