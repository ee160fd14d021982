//! Stores what is new, once its tiers have room.

use super::super::admission::Admission;
use super::super::core_memory::hold_total;
use super::super::embed_later;
use super::super::protection::Protection;
use super::super::support::entry;
use super::{Item, PreparedMemories, known};
use crate::audit::AuditEntry;
use crate::error::Result;
use crate::memory::{MemoryDraft, MemoryReceipt, MemoryState, Tier};
use crate::ports::{NewMemory, VaultTransaction, WriteContext};
use crate::scoring::Scorer;
use crate::settings::EffectiveSettings;

impl PreparedMemories {
    /// Stores the new memories, and returns the quota shares of the tiers that grew.
    pub(super) async fn insert(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        new: Vec<(usize, MemoryDraft)>,
        receipts: &mut [Option<MemoryReceipt>],
    ) -> Result<Vec<(Tier, f64)>> {
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        let places: Vec<usize> = new.iter().map(|(at, _)| *at).collect();
        let items: Vec<&Item> = places.iter().map(|at| &self.items[*at]).collect();
        let admission = Admission::ask(tx, context, settings.clone(), added(&items)).await?;
        protection(&items).admit(tx, &settings).await?;
        let mut scorer = Scorer::new(&context.goals, settings.weights.value, &[], self.now.start_of_hour());
        let graded = items.iter().zip(new).map(|(item, (_, draft))| item.prepared.scored(&mut scorer, draft));
        let memories: Vec<NewMemory> = graded.collect();
        if let Some(also) = &self.also {
            also.before(tx).await?;
        }
        tx.insert_memories(&memories).await?;
        let noted = items.iter().zip(&memories).filter_map(|(item, memory)| Some((item.digest?, memory.id)));
        known::note(tx, &noted.collect::<Vec<_>>()).await?;
        if let Some(also) = &self.also {
            also.after(tx, &memories).await?;
        }
        for memory in &memories {
            hold_total(tx.as_reader(), &settings, &memory.draft, memory.id).await?;
        }
        tx.audit(&self.audit(&memories)).await?;
        let trace = self.traceparent.as_deref();
        admission.follow_up(tx, &*self.ids, self.now, trace).await?;
        let tools = (&*self.ids, &*self.defaults);
        embed_later(tx, tools, Some(&context.settings.settings), self.now, trace).await?;
        for ((at, item), memory) in places.iter().zip(&items).zip(&memories) {
            receipts[*at] = Some(receipt(memory, item.prepared.masked));
        }
        Ok(admission.shares())
    }

    fn audit(&self, memories: &[NewMemory]) -> AuditEntry {
        let subject = memories.first().filter(|_| memories.len() == 1).map(|memory| memory.id.to_string());
        entry(self.now, "memory.create", subject, memories.len() as u64)
    }
}

/// Returns the added bytes of each tier that grows.
fn added(items: &[&Item]) -> Vec<(Tier, u64)> {
    let of = |tier| items.iter().map(|item| &item.prepared.memory).filter(move |m| m.draft.tier == tier);
    Tier::ALL
        .iter()
        .map(|&tier| (tier, of(tier).map(|memory| memory.size_bytes).sum()))
        .filter(|(_, bytes)| *bytes > 0)
        .collect()
}

fn protection(items: &[&Item]) -> Protection {
    let mut protection = Protection::default();
    items.iter().map(|item| &item.prepared.memory).for_each(|new| protection.add(&new.draft, new.size_bytes));
    protection
}

fn receipt(memory: &NewMemory, masked: bool) -> MemoryReceipt {
    MemoryReceipt {
        id: memory.id,
        tier: memory.draft.tier,
        state: MemoryState::Active,
        size_bytes: memory.size_bytes,
        score: memory.score.score,
        etag: "1".to_owned(),
        created_at: memory.created_at,
        updated_at: memory.created_at,
        delete_after: None,
        masked,
        existing: false,
    }
}
