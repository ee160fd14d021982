//! Reads one memory, and on request why it has its score and what was decided about it.

use super::App;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::meditation::RecordedDecision;
use crate::memory::Memory;
use crate::retention::{Connections, HALF_LIFE, Salience, Warmth, WarmthFacts};
use crate::scoring::ScoreRecord;
use crate::tagging::with_auto_tags;

/// Most decisions returned with a memory.
const MAX_DECISIONS: usize = 20;

/// A memory with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedMemory {
    /// The memory.
    pub memory: Memory,
    /// Why it has its score; `None` if not asked for.
    pub score: Option<ScoreRecord>,
    /// How warm it is; `None` if not asked for.
    pub warmth: Option<Warmth>,
    /// How present it is; `None` if not asked for.
    pub salience: Option<Salience>,
    /// The latest decisions about it, newest first; empty if not asked for.
    pub decisions: Vec<RecordedDecision>,
}

impl App {
    /// One memory in any state; with `explain` also its score record and its latest decisions.
    pub async fn get_memory(&self, user: &UserId, id: MemoryId, explain: bool) -> Result<ExplainedMemory> {
        let now = self.clock.now();
        let found = self.vaults.read(user, move |reader| {
            Box::pin(async move {
                let Some(mut memory) = reader.memory(id).await? else { return Ok(None) };
                with_auto_tags(reader, vec![&mut memory]).await?;
                let (mut score, mut warmth, mut decisions) = (None, None, Vec::new());
                if explain {
                    score = reader.score_record(memory.seq).await?;
                    let connections = Connections::of(reader, id, now.start_of_hour()).await?;
                    warmth = Some(Warmth::of(&WarmthFacts::of(&memory), connections, now.start_of_hour()));
                    decisions = reader.decisions_about(id, MAX_DECISIONS).await?;
                }
                let salience = explain.then(|| Salience::of(&memory, HALF_LIFE, now));
                Ok(Some(ExplainedMemory { memory, score, warmth, salience, decisions }))
            })
        });
        found.await?.ok_or_else(|| Error::memory_not_found(id))
    }
}
