//! What is kept of the keys of rings, and told in the audit: which came, since when everything is wrapped by one, which
//! went. Knows their ids alone.

use std::sync::Arc;

use kimberly_core::audit::Actor;
use kimberly_core::error::Result;
use kimberly_core::ports::AuditEntry;
use kimberly_core::time::Timestamp;

use super::RegistryPort;
use super::audit::Change;
use crate::SqliteStore;
use crate::sqlite::conn::Args;
use crate::sqlite::rows::Cells;

const OF_RING: &str = "SELECT key, removed_at FROM ring_keys WHERE ring = ?";
const FOUND: &str = "INSERT INTO ring_keys (ring, key, seen_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
const CAME: &str = "INSERT INTO ring_keys (ring, key, seen_at) VALUES (?1, ?2, ?3) \
     ON CONFLICT (ring, key) DO UPDATE SET seen_at = ?3, done_at = NULL, removed_at = NULL WHERE removed_at IS NOT NULL";
const WENT: &str = "UPDATE ring_keys SET removed_at = ?3 WHERE ring = ?1 AND key = ?2 AND removed_at IS NULL";
const DONE: &str = "UPDATE ring_keys SET done_at = ?3 WHERE ring = ?1 AND key = ?2 AND done_at IS NULL";

/// What is kept of rings. Any number of processes may keep the same at once: each change is told once.
pub struct RingNotes(RegistryPort);

/// A key of a ring as it is kept.
struct Known {
    key: String,
    removed: bool,
}

impl SqliteStore {
    /// What is kept of the keys of rings.
    pub fn ring_notes(&self) -> RingNotes {
        RingNotes(RegistryPort { shared: Arc::clone(&self.shared), vaults: Arc::clone(&self.vaults) })
    }
}

impl RingNotes {
    /// Keeps which keys a ring holds. What is new since the last time, and what is gone, is told in the audit of the system;
    /// the keys of a ring of which nothing is kept yet are not news.
    pub async fn keep(&self, ring: &str, keys: &[String], at: Timestamp) -> Result<()> {
        let known = self.known(ring).await?;
        for key in keys.iter().filter(|key| known.iter().all(|known| known.key != **key || known.removed)) {
            let (sql, entries) = if known.is_empty() {
                (FOUND, Vec::new())
            } else {
                (CAME, vec![told("ring.key_added", ring, key, 1, at)])
            };
            self.change(sql, ring, key, at, entries).await?;
        }
        for gone in known.iter().filter(|known| !known.removed && !keys.contains(&known.key)) {
            let entries = vec![told("ring.key_removed", ring, &gone.key, 1, at)];
            self.change(WENT, ring, &gone.key, at, entries).await?;
        }
        Ok(())
    }

    /// Keeps that everything, `files` key files, is wrapped by this key of a ring; told if it had another one before. Says
    /// whether it was news.
    pub async fn done(&self, ring: &str, key: &str, files: u64, at: Timestamp) -> Result<bool> {
        let is_rotation = self.known(ring).await?.len() > 1;
        let entries = if is_rotation { vec![told("ring.rotated", ring, key, files, at)] } else { Vec::new() };
        Ok(self.change(DONE, ring, key, at, entries).await? > 0 && is_rotation)
    }

    async fn known(&self, ring: &str) -> Result<Vec<Known>> {
        let mut lease = self.0.shared.registry.reader().await?;
        let args = Args::new().with(ring);
        let read = |row: &_| {
            let c = &mut Cells::new(row);
            Ok(Known { key: c.text()?, removed: c.opt_int()?.is_some() })
        };
        lease.conn()?.rows("reading what is kept of a ring", OF_RING, args, read).await
    }

    async fn change(
        &self,
        sql: &'static str,
        ring: &str,
        key: &str,
        at: Timestamp,
        entries: Vec<AuditEntry>,
    ) -> Result<u64> {
        let args = Args::new().with(ring).with(key).with(at.0);
        self.0.change(Some(Change { doing: "keeping what became of a ring", sql, args }), entries).await
    }
}

fn told(action: &'static str, ring: &str, key: &str, count: u64, at: Timestamp) -> AuditEntry {
    let subject = Some(format!("{ring}/{key}"));
    AuditEntry { at, actor: Actor::System, action, refused: None, subject, count }
}

impl std::fmt::Debug for RingNotes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RingNotes")
    }
}
