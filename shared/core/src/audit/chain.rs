//! The links of the chain.

use sha2::{Digest as _, Sha256};

use super::encode::encode;
use crate::ids::UserId;
use crate::ports::AuditEntry;
use crate::time::Timestamp;

const ENTRY: &[u8] = b"kimberly/audit/v1";
/// The action of the entry that tells of pruned ones; its subject is the last of them, as text.
pub const PRUNED: &str = "audit.prune";

const GENESIS: &[u8] = b"kimberly/audit/genesis/v1";

/// The name of a vault's audit. Part of every hash, so that no entry can pass for one of another vault. Holds the hash
/// of the user's id, not the id.
pub fn vault_log(user: &UserId) -> String {
    format!("vault:{}", user.folder_name())
}

/// The end of a chain: it stands for every entry up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditHead {
    /// Number of the last entry; 0 if there is none.
    pub no: u64,
    /// Its hash.
    pub hash: [u8; 32],
}

impl AuditHead {
    /// That before the first entry of a log. Its hash is `SHA-256("kimberly/audit/genesis/v1" | name of the log)`.
    pub fn genesis(log: &str) -> Self {
        let hash = Sha256::new().chain_update(GENESIS).chain_update(log.as_bytes()).finalize();
        Self { no: 0, hash: hash.into() }
    }

    /// The entry that comes next, with its number and hash.
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

/// An entry as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its number, from 1.
    pub no: u64,
    /// When.
    pub at: Timestamp,
    /// By whom: `open`, `key:NAME`, `agent:NAME` or `system`; `user` and `agent` before there were credentials.
    pub actor: String,
    /// What, such as `memory.create`.
    pub action: String,
    /// Why it was refused; `None` for what was done.
    pub refused: Option<String>,
    /// About which thing, if one: an id.
    pub subject: Option<String>,
    /// How many things.
    pub count: u64,
    /// `SHA-256("kimberly/audit/v1" | hash of the entry before | bytes of this one)`.
    pub hash: [u8; 32],
}

impl AuditRecord {
    /// The hash that it must have after an entry with the hash `before`.
    pub fn hash_after(&self, before: &[u8; 32]) -> [u8; 32] {
        Sha256::new().chain_update(ENTRY).chain_update(before).chain_update(encode(self)).finalize().into()
    }

    /// The head of a chain that ends with it.
    pub fn head(&self) -> AuditHead {
        AuditHead { no: self.no, hash: self.hash }
    }
}
