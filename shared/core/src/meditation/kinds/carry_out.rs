//! Carries out a batch of changes in one transaction, and records it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Applying, Effect, Kind};
use crate::error::Result;
use crate::ids::{MeditationId, Seq};
use crate::meditation::{Change, Subject};
use crate::memory::{Memory, MemoryState};
use crate::ports::VaultTransaction;
use crate::retention::permits;

/// Reads the present state of the changes' subjects, by sequence number.
pub async fn standing(tx: &mut dyn VaultTransaction, changes: &[Change]) -> Result<BTreeMap<Seq, Memory>> {
    let mut seqs: Vec<Seq> = changes.iter().flat_map(|change| &change.subjects).map(|subject| subject.seq).collect();
    seqs.sort_unstable();
    seqs.dedup();
    Ok(tx.memories(&seqs).await?.into_iter().map(|memory| (memory.seq, memory)).collect())
}

/// Carries out the changes whose subjects still exist in the state they were decided for. Records those that took
/// effect with their run, at positions after the run's last one. Returns them, in order.
pub async fn carry_out(
    tx: &mut dyn VaultTransaction,
    run: MeditationId,
    changes: Vec<Change>,
    standing: &BTreeMap<Seq, Memory>,
    when: Applying<'_>,
) -> Result<Vec<Change>> {
    let mut holding = unchanged(changes, standing);
    let mut refused = BTreeSet::new();
    for &kind in Kind::ALL {
        let of_kind = holding.iter().enumerate().filter(|(_, change)| change.kind == kind);
        let (indexes, of_kind): (Vec<usize>, Vec<&Change>) = of_kind.unzip();
        if !of_kind.is_empty() {
            let came_to_nothing = kind.rules().apply(tx, &of_kind, when).await?;
            refused.extend(came_to_nothing.into_iter().filter_map(|index| indexes.get(index).copied()));
        }
    }
    let mut index = 0..;
    holding.retain(|_| index.next().is_some_and(|index| !refused.contains(&index)));
    if !holding.is_empty() {
        tx.record_decisions(run, &holding, when.at).await?;
    }
    Ok(holding)
}

/// Keeps the changes that are still valid. Withheld memories are left alone unless their owner deleted them, and so are
/// records that last. A later change of the same memory sees the state that an earlier one leaves.
fn unchanged(mut changes: Vec<Change>, standing: &BTreeMap<Seq, Memory>) -> Vec<Change> {
    let visible = |memory: &&Memory| !memory.withheld || memory.state == MemoryState::Deleted;
    let facts = |memory: &Memory| (memory.seq, (memory.id.0, memory.state, memory.draft.lasts()));
    let states = standing.values().filter(visible).map(facts);
    let mut states: HashMap<_, _> = states.collect();
    changes.retain_mut(|change| {
        let (kind, then) = (change.kind, change.state());
        let stands = |subject: &Subject| {
            let now = states.get(&subject.seq);
            now.is_some_and(|(id, state, lasts)| {
                *id == subject.id && then.is_none_or(|then| then == *state) && permits(kind, *lasts, *state)
            })
        };
        let still = change.retain(stands);
        for subject in change.subjects.iter().filter(|_| still) {
            match change.kind.rules().effect() {
                Effect::None => {}
                Effect::Archives => _ = states.insert(subject.seq, (subject.id, MemoryState::Archived, false)),
                Effect::Erases => _ = states.remove(&subject.seq),
            }
        }
        still
    });
    changes
}
