//! Audit entries of changes of the registry, and the statement that reads purges.

use std::sync::Arc;

use kimberly_core::audit::{Actor, AuditEntry};
use kimberly_core::erasure::Purge;
use kimberly_core::error::Error;
use kimberly_core::ports::By;
use kimberly_core::{PurgeId, Timestamp};

use crate::corrupt;
use crate::rows::PURGE_COLUMNS;

/// Returns the audit entry of a change.
pub(crate) fn told(by: &By, action: &'static str, subject: &str) -> AuditEntry {
    let subject = Some(subject.to_owned());
    AuditEntry { at: by.at, actor: Actor::Named(Arc::clone(&by.actor)), action, refused: None, subject, count: 1 }
}

/// Returns an audit entry whose actor is the requester of the purge.
pub(crate) fn entry(action: &'static str, purge: &Purge, at: Timestamp, count: u64) -> AuditEntry {
    let subject = Some(subject(purge.id, &purge.pseudonym));
    AuditEntry { at, actor: Actor::Named(purge.asked_by.as_str().into()), action, refused: None, subject, count }
}

/// Returns the audit subject: the receipt's id, and the pseudonym of the user.
pub(crate) fn subject(id: PurgeId, pseudonym: &str) -> String {
    format!("{id}/{pseudonym}")
}

/// Error for a purge in progress without a user.
pub(crate) fn nameless() -> Error {
    corrupt("a purge that is under way does not say whose it is")
}

/// Returns the statement that reads the purges of a condition.
pub(crate) fn select(which: &str) -> String {
    format!("SELECT {PURGE_COLUMNS} FROM purges {which}")
}
