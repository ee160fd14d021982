//! A stored purge: with the user's id while in progress, afterwards a receipt without it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::PurgeStep;
use crate::audit::AuditHead;
use crate::ids::{PurgeId, UserId};
use crate::time::Timestamp;

/// A purge in progress or its receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purge {
    /// Id of the purge.
    pub id: PurgeId,
    /// The user; `None` once the purge is done.
    pub user: Option<UserId>,
    /// Pseudonym of the user, 32 hexadecimal digits: the same for the same id within this data folder.
    pub pseudonym: String,
    /// The next step.
    pub step: PurgeStep,
    /// Counts of what was erased.
    pub erased: Erased,
    /// The caller who requested it, as named in the audit.
    pub asked_by: String,
    /// When it was requested.
    pub asked_at: Timestamp,
    /// When it was completed.
    pub finished_at: Option<Timestamp>,
    /// The system audit entry that records it.
    pub told: Option<AuditHead>,
}

impl Purge {
    /// Reports whether the purge is complete.
    pub fn is_done(&self) -> bool {
        self.step == PurgeStep::Done
    }
}

/// Counts of what was erased. Numbers only; the same however often the purge was interrupted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Erased {
    /// Rows of the vault by table, such as `memories`; tables without rows are omitted.
    pub rows: BTreeMap<String, u64>,
    /// Sum of the memories' `size_bytes`.
    pub memory_bytes: u64,
    /// Files of the vault and its vectors, except transient logs.
    pub files: u64,
    /// Bytes of those files.
    pub file_bytes: u64,
    /// Whether a key file existed; it is destroyed.
    pub key_file: bool,
    /// Whether the vault was damaged and its rows could not be counted; its files are removed all the same.
    pub unreadable: bool,
    /// Revoked credentials: those that reached only this user.
    pub credentials_revoked: u64,
    /// Credentials that reach other users too and no longer name this one.
    pub credentials_narrowed: u64,
}
