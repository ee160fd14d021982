//! The state of a vault as comparable lines.

use kimberly_core::memory::{ListOrder, MemoryFilter, MemoryState};

use crate::simulation::world::World;

impl World {
    /// A line per memory, run and decision: everything visible to callers, without worker generations.
    pub(crate) async fn picture(&self) -> Vec<String> {
        let filter = MemoryFilter { states: MemoryState::ALL.to_vec(), ..MemoryFilter::default() };
        let read = self.vaults.read(&self.user, move |reader| {
            let filter = filter.clone();
            Box::pin(async move {
                let memories = reader.list(&filter, ListOrder::OldestFirst, None, 1_000_000, usize::MAX).await?;
                let runs = reader.meditations(None, 1_000_000).await?;
                let mut lines: Vec<String> = memories.iter().map(|memory| format!("{memory:?}")).collect();
                for memory in &memories {
                    let record = reader.score_record(memory.seq).await?;
                    lines.push(format!("{} scored {:?}", memory.id, record.map(|r| (r.score.to_bits(), r.scored_at))));
                }
                for mut run in runs {
                    run.generation = 0;
                    lines.push(format!("{run:?}"));
                    for recorded in reader.decisions(run.id, 0, 1_000_000).await? {
                        lines.push(format!("{recorded:?}"));
                    }
                }
                lines.push(format!("{:?}", reader.usage().await?));
                Ok(lines)
            })
        });
        read.await.expect("the vault is read")
    }
}

/// Fails with the first different lines.
pub(crate) fn assert_same(expected: &[String], found: &[String]) {
    let differing: Vec<String> = expected
        .iter()
        .zip(found)
        .filter(|(expected, found)| expected != found)
        .take(3)
        .map(|(expected, found)| format!("expected {expected}\n   found {found}"))
        .collect();
    assert!(differing.is_empty(), "cut runs end otherwise:\n{}", differing.join("\n"));
    assert_eq!(expected.len(), found.len(), "cut runs leave another number of things");
}
