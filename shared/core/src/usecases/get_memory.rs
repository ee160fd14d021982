//! Reads one memory and, on request, why it has its score and what was decided about it.

use std::slice;
use std::sync::Arc;

use super::App;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::meditation::RecordedDecision;
use crate::meditation::steps::{Step as _, Temper};
use crate::memory::Memory;
use crate::ports::VaultReader;
use crate::retention::{HALF_LIFE, Salience, Warmth};
use crate::scoring::ScoreRecord;
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::tagging::with_auto_tags;
use crate::time::Timestamp;

/// Most decisions returned with a memory.
const MAX_DECISIONS: usize = 20;

/// A memory with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedMemory {
    /// The memory.
    pub memory: Memory,
    /// Why it has its score; `None` unless requested.
    pub score: Option<ScoreRecord>,
    /// Its warmth; `None` if not asked for, or if meditations do not note it.
    pub warmth: Option<Warmth>,
    /// Its salience; `None` unless requested.
    pub salience: Option<Salience>,
    /// The latest decisions about it, newest first; empty unless requested.
    pub decisions: Vec<RecordedDecision>,
}

impl App {
    /// Returns one memory in any state; with `explain`, also its score record, warmth, salience and latest decisions.
    #[boxed]
    pub async fn get_memory(&self, user: &UserId, id: MemoryId, explain: bool) -> Result<ExplainedMemory> {
        let (now, defaults) = (self.clock.now(), Arc::clone(&self.defaults));
        let found = self.vaults.read(user, move |reader| {
            let defaults = Arc::clone(&defaults);
            Box::pin(async move {
                let Some(mut memory) = reader.memory(id).await? else { return Ok(None) };
                with_auto_tags(reader, vec![&mut memory]).await?;
                let (mut score, mut warmth, mut decisions) = (None, None, Vec::new());
                if explain {
                    score = reader.score_record(memory.seq).await?;
                    warmth = warmth_of(reader, slice::from_ref(&memory), (&defaults, now)).await?.pop();
                    decisions = reader.decisions_about(id, MAX_DECISIONS).await?;
                }
                let salience = explain.then(|| Salience::of(&memory, HALF_LIFE, now));
                Ok(Some(ExplainedMemory { memory, score, warmth, salience, decisions }))
            })
        });
        found.await?.ok_or_else(|| Error::memory_not_found(id))
    }
}

/// Returns the warmth of memories, in their order; empty if meditations do not note it.
pub(super) async fn warmth_of(
    reader: &mut dyn VaultReader,
    memories: &[Memory],
    (defaults, now): (&ServerDefaults, Timestamp),
) -> Result<Vec<Warmth>> {
    if memories.is_empty() {
        return Ok(Vec::new());
    }
    let settings = EffectiveSettings::resolve(&reader.settings().await?.settings, defaults);
    if !settings.has_step(Temper.name()) {
        return Ok(Vec::new());
    }
    Warmth::read(reader, &memories.iter().collect::<Vec<_>>(), now).await
}
