//! Records the keys of key rings.

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::audit::AuditEntry;
use kimberly_core::error::Result;
use kimberly_core::time::Timestamp;

use super::RegistryPort;
use super::change::{self, Change};
use crate::PgStore;
use crate::postgres::conn::Args;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::rings::{Became, KnownKey, RingNotes, RingStorage};

const OF_RING: &str = "SELECT key, removed_at FROM ring_keys WHERE ring = $1";
const FOUND: &str = "INSERT INTO ring_keys (ring, key, seen_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
const CAME: &str = "INSERT INTO ring_keys AS r (ring, key, seen_at) VALUES ($1, $2, $3) \
     ON CONFLICT (ring, key) DO UPDATE SET seen_at = $3, done_at = NULL, removed_at = NULL WHERE r.removed_at IS NOT NULL";
const WENT: &str = "UPDATE ring_keys SET removed_at = $3 WHERE ring = $1 AND key = $2 AND removed_at IS NULL";
const DONE: &str = "UPDATE ring_keys SET done_at = $3 WHERE ring = $1 AND key = $2 AND done_at IS NULL";

impl PgStore {
    /// Returns the record of the keys of key rings.
    pub fn ring_notes(&self) -> RingNotes {
        RingNotes::of(RegistryPort(Arc::clone(&self.shared)))
    }
}

#[async_trait]
impl RingStorage for RegistryPort {
    async fn known(&self, ring: &str) -> Result<Vec<KnownKey>> {
        let args = Args::none().with(ring.to_owned());
        self.0
            .rows("reading the state of a key ring", OF_RING, args, |row| {
                let c = &mut Cells::new(row);
                Ok(KnownKey { key: c.text()?, removed: c.opt_int()?.is_some() })
            })
            .await
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
        let args = Args::none().with(ring.to_owned()).with(key.to_owned()).with(at.0);
        let change = Change { doing: "writing the state of a key ring", sql, args };
        let mut conn = self.0.registry().await?;
        let done = change::make(&mut conn, change, told.as_slice()).await;
        conn.end(done).await.map(|changed| changed > 0)
    }
}
