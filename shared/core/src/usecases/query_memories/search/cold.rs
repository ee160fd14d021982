//! Finds cold candidates: those that a meditation recorded as cold, and that still are.

use std::collections::HashSet;

use super::super::around::Around;
use super::super::input::CheckedQuery;
use super::answer::MAX_SPARE;
use super::notes::counted;
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::meditation::steps::{Step as _, Temper};
use crate::memory::Memory;
use crate::ports::VaultReader;
use crate::recall::stages::{cold, cut};
use crate::recall::{Ranked, Stage, Trace};
use crate::retention::{NotedTemperature, Temperature, Warmth};
use crate::settings::EffectiveSettings;
use crate::tables::find;
use crate::time::Timestamp;

/// Lowers the scores of cold candidates before the best are taken, so that others come first. Only the best are
/// checked, until no new one among them is cold.
pub(super) async fn lower(
    vault: &mut dyn VaultReader,
    ranked: &mut [Ranked],
    query: &CheckedQuery,
    around: &Around,
    trace: &mut Trace,
) -> Result<()> {
    if !query.plan.on(Stage::Cold) || !are_noted(vault, around).await? {
        return Ok(());
    }
    let most = (query.top_k + MAX_SPARE).min(ranked.len());
    let (mut known, mut lowered) = (HashSet::new(), 0);
    loop {
        cut::order(ranked, most);
        let new: Vec<Seq> = ranked.iter().take(most).map(|one| one.seq).filter(|seq| known.insert(*seq)).collect();
        let found = if new.is_empty() { HashSet::new() } else { cold_among(vault, &new, around.now).await? };
        if found.is_empty() {
            break;
        }
        let are_cold = ranked.iter_mut().filter(|one| found.contains(&one.seq));
        are_cold.for_each(|one| cold::lower(one, &query.plan.weights));
        lowered += found.len();
    }
    trace.note(Stage::Cold, || counted(lowered, "counts less", "count less"));
    Ok(())
}

/// Reports whether meditations of this user record temperatures, and have recorded a memory as cold.
async fn are_noted(vault: &mut dyn VaultReader, around: &Around) -> Result<bool> {
    let (step, defaults) = (Temper.name(), &around.defaults);
    if !defaults.steps.of(step).enabled {
        return Ok(false);
    }
    if find::<NotedTemperature>(vault, &NotedTemperature::cold().at_most(1)).await?.is_empty() {
        return Ok(false);
    }
    Ok(EffectiveSettings::resolve(&vault.settings().await?.settings, defaults).has_step(step))
}

async fn cold_among(vault: &mut dyn VaultReader, seqs: &[Seq], now: Timestamp) -> Result<HashSet<Seq>> {
    let memories = vault.memories(seqs).await?;
    let noted = NotedTemperature::cold().among(&["memory_id"], memories.iter().map(|memory| memory.id));
    let noted = find::<NotedTemperature>(vault, &noted).await?;
    let noted: HashSet<MemoryId> = noted.into_iter().map(|one| one.memory).collect();
    let memories: Vec<&Memory> = memories.iter().filter(|memory| noted.contains(&memory.id)).collect();
    let warmth = Warmth::read(vault, &memories, now).await?;
    let cold = memories.iter().zip(warmth).filter(|(_, warmth)| warmth.temperature == Temperature::Cold);
    Ok(cold.map(|(memory, _)| memory.seq).collect())
}
