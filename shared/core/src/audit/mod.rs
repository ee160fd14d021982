//! The audit: what was done in a vault, by whom, in a chain of hashes, so that what is changed, taken out or put in
//! afterwards shows, and where.
//!
//! Every entry has a number, from 1 without a gap, and a hash over the hash before it and everything the entry says. So
//! the last number and hash, the head, stand for all that came before: noted elsewhere, it proves later that
//! nothing before it was changed. Entries hold ids and numbers, never content. `encode` fixes the bytes that are hashed,
//! `chain` the links, `verify` finds what does not fit, `checkpoint` says, signed, where a chain stood,
//! `segment` packs old entries.
//!
//! The highest number ever given is stored apart from the entries: when somebody cuts off the end, numbers go on
//! behind it, and the gap shows.

mod actor;
mod chain;
mod checkpoint;
mod encode;
mod segment;
mod text;
mod verify;

pub use actor::Actor;
pub use chain::{AuditHead, AuditRecord, PRUNED, vault_log};
pub use checkpoint::{ANCHORED, Checkpoint, PURGED, SignedCheckpoint, anchor, anchor_subject};
pub use segment::{MAX_SEGMENT_ENTRIES, pack, unpack};
pub use text::{hash_from_text, hash_text};
pub use verify::{Anchor, AuditFinding, AuditFindingKind, AuditVerification, AuditVerifier};

#[cfg(test)]
mod tests;
