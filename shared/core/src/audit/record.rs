//! An entry of an audit.

use crate::time::Timestamp;

/// An entry as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// Number of the entry, from 1.
    pub no: u64,
    /// Time of the entry.
    pub at: Timestamp,
    /// The actor: `open`, `key:NAME`, `agent:NAME` or `system`; `user` and `agent` in entries from before credentials
    /// existed.
    pub actor: String,
    /// The action, such as `memory.create`.
    pub action: String,
    /// Why the action was refused; `None` if it was done.
    pub refused: Option<String>,
    /// The id of the thing concerned, if any.
    pub subject: Option<String>,
    /// Number of things concerned.
    pub count: u64,
    /// `SHA-256("kimberly/audit/v1" | hash of the previous entry | bytes of this entry)`.
    pub hash: [u8; 32],
}
