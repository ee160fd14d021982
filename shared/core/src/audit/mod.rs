//! The audit: what was done in a vault and by whom, as a hash chain that reveals changed, removed and inserted entries and
//! their place.
//!
//! Entries are numbered from 1 without gaps. Each has a hash over the previous hash and all its own fields. So the
//! last number and hash, the head, stand for everything before: a head noted elsewhere proves later that nothing
//! before it was changed. Entries hold ids and numbers, never content. `encode` defines the hashed bytes, `chain` the
//! links, `verify` finds inconsistencies, `checkpoint` signs heads, `segment` packs old entries.
//!
//! The highest number ever assigned is stored apart from the entries: if the end is cut off, numbering continues
//! after it and the gap shows.

mod actor;
mod chain;
mod checkpoint;
mod encode;
mod entry;
mod record;
mod segment;
mod text;
mod verify;

pub use actor::Actor;
pub use chain::{AuditHead, PRUNED, vault_log};
pub use checkpoint::{ANCHORED, Checkpoint, PURGED, SignedCheckpoint, anchor, anchor_subject};
pub use entry::AuditEntry;
pub use record::AuditRecord;
pub use segment::{MAX_SEGMENT_ENTRIES, pack, unpack};
pub use text::{hash_from_text, hash_text};
pub use verify::{Anchor, AuditFinding, AuditFindingKind, AuditVerification, AuditVerifier};

#[cfg(test)]
mod tests;
