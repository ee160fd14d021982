//! A purge as it is kept: while it is under way with the user's id, afterwards as a receipt without it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::PurgeStep;
use crate::audit::AuditHead;
use crate::ids::{PurgeId, UserId};
use crate::time::Timestamp;

/// A purge, and once it is done its receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purge {
    /// Its id.
    pub id: PurgeId,
    /// The user; `None` once it is done.
    pub user: Option<UserId>,
    /// What stands for the user: the same for the same id in this data folder, 32 hexadecimal digits.
    pub pseudonym: String,
    /// What is done next.
    pub step: PurgeStep,
    /// What there was to erase.
    pub erased: Erased,
    /// By whom it was asked for, as the audit names callers.
    pub asked_by: String,
    /// When it was asked for.
    pub asked_at: Timestamp,
    /// When it was done.
    pub finished_at: Option<Timestamp>,
    /// The entry of the system's audit that tells it.
    pub told: Option<AuditHead>,
}

impl Purge {
    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.step == PurgeStep::Done
    }
}

/// What there was to erase. Numbers only; the same however often the purge was cut.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Erased {
    /// Rows of the vault by the table that they stood in, such as `memories`; no table without rows.
    pub rows: BTreeMap<String, u64>,
    /// Bytes that memories counted for.
    pub memory_bytes: u64,
    /// Files of the vault, with those of its vectors, but for logs that come and go.
    pub files: u64,
    /// Their bytes.
    pub file_bytes: u64,
    /// There was a key file; it is destroyed.
    pub key_file: bool,
    /// The vault was damaged, so that its rows could not be counted; its files are gone all the same.
    pub unreadable: bool,
    /// Credentials that were good for this user alone, and are revoked.
    pub credentials_revoked: u64,
    /// Credentials that reach other users, too, and do not name this one any more.
    pub credentials_narrowed: u64,
}
