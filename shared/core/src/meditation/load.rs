//! Reads a snapshot from a vault.

use std::collections::{HashMap, HashSet};

use super::fingerprint::decided;
use super::steps::steps_of;
use super::{Asked, Fingerprint, Snapshot, Trigger};
use crate::error::Result;
use crate::ports::VaultReader;
use crate::settings::EffectiveSettings;
use crate::tables::{TableRow as _, find};
use crate::time::Timestamp;
use crate::versions::kept_bytes;

impl Snapshot {
    /// Reads the snapshot. `now` decides which day's cap counts.
    pub async fn load(
        reader: &mut dyn VaultReader,
        settings: EffectiveSettings,
        (trigger, asked, steps): (Trigger, Asked, Vec<String>),
        (as_of, now): (Timestamp, Timestamp),
    ) -> Result<Self> {
        let decides = steps_of(&steps).any(|step| step.rules().is_some());
        Ok(Self {
            trigger,
            as_of,
            settings,
            steps,
            only: asked.ids,
            items: reader.retention_items().await?,
            version_bytes: kept_bytes(reader).await?,
            session: None,
            erased_today: reader.pruned_on(now.day()).await?,
            archived_here: HashSet::new(),
            done_here: HashMap::new(),
            fingerprints: find::<Fingerprint>(reader, &Fingerprint::query()).await?,
            decided: if decides { decided(reader).await? } else { Vec::new() },
        })
    }
}
