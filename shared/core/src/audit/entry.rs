//! Entries as they are handed to an audit, before they are numbered and chained.

use super::Actor;
use crate::time::Timestamp;

/// An entry for the audit. Ids and numbers only, never content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Time of the entry.
    pub at: Timestamp,
    /// The actor.
    pub actor: Actor,
    /// The action, such as `memory.create`.
    pub action: &'static str,
    /// Why it was refused, as named in the API contract; `None` if it was done.
    pub refused: Option<&'static str>,
    /// The id of the thing concerned, if any.
    pub subject: Option<String>,
    /// Number of things concerned.
    pub count: u64,
}
