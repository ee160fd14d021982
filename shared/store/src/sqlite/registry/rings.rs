//! Records the keys of key rings in `system.db`.

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::audit::AuditEntry;
use kimberly_core::error::Result;
use kimberly_core::time::Timestamp;
use rusqlite::Row;

use super::RegistryPort;
use super::audit::Change;
use crate::SqliteStore;
use crate::rings::{Became, KnownKey, RingNotes, RingStorage};
use crate::sqlite::conn::Args;
use crate::sqlite::rows::{Cells, ReadRow as _};

const OF_RING: &str = "SELECT key, removed_at FROM ring_keys WHERE ring = ?";
const FOUND: &str = "INSERT INTO ring_keys (ring, key, seen_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
const CAME: &str = "INSERT INTO ring_keys (ring, key, seen_at) VALUES (?1, ?2, ?3) \
     ON CONFLICT (ring, key) DO UPDATE SET seen_at = ?3, done_at = NULL, removed_at = NULL WHERE removed_at IS NOT NULL";
const WENT: &str = "UPDATE ring_keys SET removed_at = ?3 WHERE ring = ?1 AND key = ?2 AND removed_at IS NULL";
const DONE: &str = "UPDATE ring_keys SET done_at = ?3 WHERE ring = ?1 AND key = ?2 AND done_at IS NULL";

impl SqliteStore {
    /// Returns the record of the keys of key rings.
    pub fn ring_notes(&self) -> RingNotes {
        RingNotes::of(RegistryPort { shared: Arc::clone(&self.shared), vaults: Arc::clone(&self.vaults) })
    }
}

#[async_trait]
impl RingStorage for RegistryPort {
    async fn known(&self, ring: &str) -> Result<Vec<KnownKey>> {
        let mut lease = self.shared.registry.reader().await?;
        let args = Args::new().with(ring);
        let read = |row: &Row<'_>| {
            let c = &mut Cells::new(row);
            Ok(KnownKey { key: c.text()?, removed: c.opt_int()?.is_some() })
        };
        lease.conn()?.rows("reading the state of a key ring", OF_RING, args, read).await
    }

    async fn record(
        &self,
        became: Became,
        (ring, key): (&str, &str),
        at: Timestamp,
        told: Option<AuditEntry>,
    ) -> Result<bool> {
        let sql = match became {
            Became::Found => FOUND,
            Became::Came => CAME,
            Became::Went => WENT,
            Became::Done => DONE,
        };
        let args = Args::new().with(ring).with(key).with(at.0);
        let change = Change { doing: "writing the state of a key ring", sql, args };
        Ok(self.change(Some(change), told.into_iter().collect()).await? > 0)
    }
}
