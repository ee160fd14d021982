//! What is kept of the keys of rings, and told in the audit: which came, since when everything is wrapped by one, which
//! went. Knows their ids alone.

use async_trait::async_trait;
use kimberly_core::audit::Actor;
use kimberly_core::error::Result;
use kimberly_core::ports::AuditEntry;
use kimberly_core::time::Timestamp;

/// What is kept of rings. Any number of processes may keep the same at once: each change is noted once.
pub struct RingNotes(Box<dyn KeepsRings>);

/// What became of a key of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Became {
    /// It is in the first ring of which anything is kept.
    Found,
    /// It came, or came back.
    Came,
    /// It is in the ring no more.
    Went,
    /// Everything is wrapped by it.
    Done,
}

/// A key of a ring as it is kept.
pub(crate) struct KnownKey {
    pub(crate) key: String,
    pub(crate) removed: bool,
}

/// Where it is kept.
#[async_trait]
pub(crate) trait KeepsRings: Send + Sync {
    /// The keys that are kept of a ring.
    async fn known(&self, ring: &str) -> Result<Vec<KnownKey>>;
    /// Keeps what became of a key and tells it, in one transaction; says whether it was news, and tells nothing if not.
    async fn keep(
        &self,
        became: Became,
        (ring, key): (&str, &str),
        at: Timestamp,
        told: Option<AuditEntry>,
    ) -> Result<bool>;
}

impl RingNotes {
    pub(crate) fn of(place: impl KeepsRings + 'static) -> Self {
        Self(Box::new(place))
    }

    /// Keeps which keys a ring holds. What is new since the last time, and what is gone, is noted in the audit of the system;
    /// the keys of a ring of which nothing is kept yet are not news.
    pub async fn keep(&self, ring: &str, keys: &[String], at: Timestamp) -> Result<()> {
        let known = self.0.known(ring).await?;
        for key in keys.iter().filter(|key| known.iter().all(|known| known.key != **key || known.removed)) {
            let (became, entry) = if known.is_empty() {
                (Became::Found, None)
            } else {
                (Became::Came, Some(told("ring.key_added", ring, key, 1, at)))
            };
            self.0.keep(became, (ring, key), at, entry).await?;
        }
        for gone in known.iter().filter(|known| !known.removed && !keys.contains(&known.key)) {
            let entry = told("ring.key_removed", ring, &gone.key, 1, at);
            self.0.keep(Became::Went, (ring, &gone.key), at, Some(entry)).await?;
        }
        Ok(())
    }

    /// Keeps that everything, `files` key files, is wrapped by this key of a ring; told if it had another one before. Says
    /// whether it was news.
    pub async fn done(&self, ring: &str, key: &str, files: u64, at: Timestamp) -> Result<bool> {
        let is_rotation = self.0.known(ring).await?.len() > 1;
        let entry = is_rotation.then(|| told("ring.rotated", ring, key, files, at));
        Ok(self.0.keep(Became::Done, (ring, key), at, entry).await? && is_rotation)
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
