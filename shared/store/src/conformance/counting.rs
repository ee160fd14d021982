//! Usage counters always equal a full count.

use kimberly_core::ids::Seq;
use kimberly_core::meditation::Kind;
use kimberly_core::memory::{Memory, MemoryState, Tier};
use kimberly_core::usage::Usage;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::Bed;
use super::fixtures::{any_of, any_state, at, decide, draft, new_memory, user};

/// A change of a vault. Numbers select among the existing memories.
#[derive(Clone, Debug)]
enum Step {
    Insert { tier: usize, sizes: Vec<u16>, fails: bool },
    Update { which: usize, tier: usize, size: u16, state: usize },
    SetState { which: usize, state: usize },
    Decide { which: Vec<usize>, action: usize },
    Rebuild,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3_usize, prop::collection::vec(any::<u16>(), 1..12), prop::bool::weighted(0.2))
            .prop_map(|(tier, sizes, fails)| Step::Insert { tier, sizes, fails }),
        2 => (any::<usize>(), 0..3_usize, any::<u16>(), 0..3_usize)
            .prop_map(|(which, tier, size, state)| Step::Update { which, tier, size, state }),
        3 => (any::<usize>(), 0..3_usize).prop_map(|(which, state)| Step::SetState { which, state }),
        2 => (prop::collection::vec(any::<usize>(), 1..6), 0..3_usize)
            .prop_map(|(which, action)| Step::Decide { which, action }),
        1 => Just(Step::Rebuild),
    ]
}

/// Runs 200 random steps and compares with a model.
pub async fn counters_always_equal_a_full_count(bed: &Bed) {
    let mut runner = TestRunner::deterministic();
    let steps = prop::collection::vec(step(), 200).new_tree(&mut runner).unwrap().current();
    let mut model = Model::default();
    for (n, step) in (0..).zip(steps) {
        let context = format!("{n}: {step:?}");
        model.apply(bed, step, n).await;
        let usage = bed.usage("u").await;
        assert_eq!(usage, model.usage(), "{context}");
    }
    let searchable = model.memories.iter().filter(|m| m.state != MemoryState::Deleted).count();
    let query = kimberly_core::ports::LexicalQuery { filter: any_state(), ..any_of(&["counted"]) };
    assert_eq!(bed.found("u", query).await.len(), searchable.min(100));
}

#[derive(Default)]
struct Model {
    memories: Vec<Memory>,
    created: u32,
    archived: std::collections::BTreeSet<Seq>,
    deleted: std::collections::BTreeSet<Seq>,
}

impl Model {
    fn usage(&self) -> Usage {
        let mut usage = Usage {
            created: self.created.into(),
            deleted: self.deleted.len() as u64,
            archived: self.archived.len() as u64,
            ..Usage::default()
        };
        for memory in &self.memories {
            let count = usage.count_mut(memory.draft.tier, memory.state);
            count.items += 1;
            count.bytes += memory.size_bytes;
        }
        usage
    }

    fn entered(&mut self, seq: Seq, state: MemoryState) {
        match state {
            MemoryState::Active => {}
            MemoryState::Archived => drop(self.archived.insert(seq)),
            MemoryState::Deleted => drop(self.deleted.insert(seq)),
        }
    }

    fn pick(&self, which: usize) -> Option<usize> {
        (!self.memories.is_empty()).then(|| which % self.memories.len())
    }

    async fn apply(&mut self, bed: &Bed, step: Step, n: u128) {
        match step {
            Step::Insert { tier, sizes, fails } => self.insert(bed, Tier::ALL[tier], &sizes, fails).await,
            Step::Update { which, tier, size, state } => {
                let Some(index) = self.pick(which) else { return };
                let memory = &mut self.memories[index];
                memory.draft.tier = Tier::ALL[tier];
                memory.size_bytes = size.into();
                memory.state = MemoryState::ALL[state];
                memory.draft.content = format!("counted again {n}");
                let memory = memory.clone();
                self.entered(memory.seq, memory.state);
                bed.write("u", move |tx| {
                    let memory = memory.clone();
                    Box::pin(async move { tx.update_memory(&memory, None).await })
                })
                .await;
            }
            Step::SetState { which, state } => {
                let Some(index) = self.pick(which) else { return };
                let (seq, state) = (self.memories[index].seq, MemoryState::ALL[state]);
                self.memories[index].state = state;
                self.entered(seq, state);
                bed.set_state("u", seq, state).await;
            }
            Step::Decide { which, action } => self.decide(bed, &which, Kind::ALL[action], n).await,
            Step::Rebuild => drop(bed.rebuild("u", async |_| {}).await),
        }
    }

    async fn insert(&mut self, bed: &Bed, tier: Tier, sizes: &[u16], fails: bool) {
        let new: Vec<_> = (self.created + 1..)
            .zip(sizes)
            .map(|(n, size)| {
                let mut new = new_memory(n, draft(&format!("counted {n}")));
                new.draft.tier = tier;
                new.size_bytes = (*size).into();
                new
            })
            .collect();
        let result = bed
            .vaults
            .transact(&user("u"), "insert", move |tx| {
                let new = new.clone();
                Box::pin(async move {
                    let seqs = tx.insert_memories(&new).await?;
                    let memories = tx.memories(&seqs).await?;
                    if fails { Err(kimberly_core::Error::PlanChanged) } else { Ok(memories) }
                })
            })
            .await;
        if let Ok(memories) = result {
            self.created += u32::try_from(memories.len()).unwrap();
            self.memories.extend(memories);
        }
    }

    async fn decide(&mut self, bed: &Bed, which: &[usize], action: Kind, n: u128) {
        let chosen: std::collections::BTreeSet<_> = which.iter().filter_map(|w| self.pick(*w)).collect();
        let decisions: Vec<_> = chosen.iter().map(|index| decide(&self.memories[*index], action)).collect();
        let done = bed.decide("u", n + 1, decisions, at(5_000)).await;
        assert_eq!(done.len(), chosen.len());
        for decision in done {
            match action {
                Kind::Archive => {
                    let memory = self.memories.iter_mut().find(|m| m.seq == decision.seq()).unwrap();
                    memory.state = MemoryState::Archived;
                    self.archived.insert(decision.seq());
                }
                Kind::Delete => {
                    self.memories.retain(|m| m.seq != decision.seq());
                    self.deleted.insert(decision.seq());
                }
                _ => {}
            }
        }
    }
}

/// One memory archived, restored, archived again, deleted by its owner and erased counts as one archived and one deleted.
pub async fn totals_count_each_memory_once(bed: &Bed) {
    let seqs = bed.remember("u", [draft("one"), draft("two")]).await;
    for state in [MemoryState::Archived, MemoryState::Active, MemoryState::Archived, MemoryState::Deleted] {
        bed.set_state("u", seqs[0], state).await;
    }
    let usage = bed.usage("u").await;
    assert_eq!((usage.created, usage.archived, usage.deleted), (2, 1, 1));
    let deleted = bed.memory("u", 1).await.unwrap();
    bed.decide("u", 1, vec![decide(&deleted, Kind::Delete)], at(9)).await;
    let usage = bed.usage("u").await;
    assert_eq!((usage.created, usage.archived, usage.deleted), (2, 1, 1));
    let other = bed.memory("u", 2).await.unwrap();
    bed.decide("u", 1, vec![decide(&other, Kind::Delete)], at(9)).await;
    let usage = bed.usage("u").await;
    assert_eq!((usage.created, usage.archived, usage.deleted), (2, 1, 2));
    assert_eq!(usage.counts, Usage::default().counts);
}
