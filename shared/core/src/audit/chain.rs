//! The hash chain.

use sha2::{Digest as _, Sha256};

use super::encode::encode;
use super::entry::AuditEntry;
use super::record::AuditRecord;
use crate::ids::UserId;

const ENTRY: &[u8] = b"kimberly/audit/v1";
/// Action of the entry that records a pruning; its subject is the last pruned entry's head, as text.
pub const PRUNED: &str = "audit.prune";

const GENESIS: &[u8] = b"kimberly/audit/genesis/v1";

/// Returns the name of a vault's audit. It is part of every hash, so that no entry can be moved to another vault's audit.
/// Contains a hash of the user's id, not the id.
pub fn vault_log(user: &UserId) -> String {
    format!("vault:{}", user.folder_name())
}

/// The end of a chain. It stands for every entry up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditHead {
    /// Number of the last entry; 0 if there is none.
    pub no: u64,
    /// Hash of the last entry.
    pub hash: [u8; 32],
}

impl AuditHead {
    /// Returns the head before a log's first entry. Its hash is `SHA-256("kimberly/audit/genesis/v1" | name of the log)`.
    pub fn genesis(log: &str) -> Self {
        let hash = Sha256::new().chain_update(GENESIS).chain_update(log.as_bytes()).finalize();
        Self { no: 0, hash: hash.into() }
    }

    /// Returns the next entry with its number and hash.
    pub fn next(&self, entry: &AuditEntry) -> AuditRecord {
        let mut record = AuditRecord {
            no: self.no.saturating_add(1),
            at: entry.at,
            actor: entry.actor.name().to_owned(),
            action: entry.action.to_owned(),
            refused: entry.refused.map(str::to_owned),
            subject: entry.subject.clone(),
            count: entry.count,
            hash: [0; 32],
        };
        record.hash = record.hash_after(&self.hash);
        record
    }
}

impl AuditRecord {
    /// Returns the hash that this entry must have after an entry with the hash `before`.
    pub fn hash_after(&self, before: &[u8; 32]) -> [u8; 32] {
        Sha256::new().chain_update(ENTRY).chain_update(before).chain_update(encode(self)).finalize().into()
    }

    /// Returns the head of a chain that ends with this entry.
    pub fn head(&self) -> AuditHead {
        AuditHead { no: self.no, hash: self.hash }
    }
}
