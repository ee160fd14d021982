//! Records the keys of key rings, and audits which were added, which now wrap everything, and which were removed. Knows
//! only key ids.

use async_trait::async_trait;
use kimberly_core::audit::{Actor, AuditEntry};
use kimberly_core::error::Result;
use kimberly_core::time::Timestamp;

/// The record of key rings. Several processes may update it concurrently; each change is audited once.
pub struct RingNotes(Box<dyn RingStorage>);

/// The change of a key of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Became {
    /// It was in the ring when the ring was first recorded.
    Found,
    /// It was added, or added again.
    Came,
    /// It was removed from the ring.
    Went,
    /// It wraps everything.
    Done,
}

/// A recorded key of a ring.
pub(crate) struct KnownKey {
    pub(crate) key: String,
    pub(crate) removed: bool,
}

/// Storage for the record.
#[async_trait]
pub(crate) trait RingStorage: Send + Sync {
    /// Returns the recorded keys of a ring.
    async fn known(&self, ring: &str) -> Result<Vec<KnownKey>>;
    /// Records a change and its audit entry in one transaction. Returns `false`, without an audit entry, if it was
    /// already recorded.
    async fn record(
        &self,
        became: Became,
        (ring, key): (&str, &str),
        at: Timestamp,
        told: Option<AuditEntry>,
    ) -> Result<bool>;
}

impl RingNotes {
    pub(crate) fn of(storage: impl RingStorage + 'static) -> Self {
        Self(Box::new(storage))
    }

    /// Records the keys that a ring holds now, and audits additions and removals. When a ring is first recorded, its
    /// keys are not audited.
    pub async fn record(&self, ring: &str, keys: &[String], at: Timestamp) -> Result<()> {
        let known = self.0.known(ring).await?;
        for key in keys.iter().filter(|key| known.iter().all(|known| known.key != **key || known.removed)) {
            let (became, entry) = if known.is_empty() {
                (Became::Found, None)
            } else {
                (Became::Came, Some(told("ring.key_added", ring, key, 1, at)))
            };
            self.0.record(became, (ring, key), at, entry).await?;
        }
        for gone in known.iter().filter(|known| !known.removed && !keys.contains(&known.key)) {
            let entry = told("ring.key_removed", ring, &gone.key, 1, at);
            self.0.record(Became::Went, (ring, &gone.key), at, Some(entry)).await?;
        }
        Ok(())
    }

    /// Records that all `files` key files are wrapped by this key of a ring, and audits it if the ring had another key
    /// before. Reports whether it was audited.
    pub async fn done(&self, ring: &str, key: &str, files: u64, at: Timestamp) -> Result<bool> {
        let is_rotation = self.0.known(ring).await?.len() > 1;
        let entry = is_rotation.then(|| told("ring.rotated", ring, key, files, at));
        Ok(self.0.record(Became::Done, (ring, key), at, entry).await? && is_rotation)
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
