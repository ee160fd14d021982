//! Stores the statements of a conversation. If a tier is full, it makes room: turns with the lowest scores move to the
//! archive and, if that is not enough, the first of the new memories, too.

use std::sync::Arc;

use super::admission::Admission;
use super::covering::Covering;
use super::embed_later;
use super::prepared::Prepared;
use super::room::Room;
use super::support::{entry, may_store};
use crate::access::Caller;
use crate::error::Result;
use crate::meditation::Change;
use crate::memory::{MemoryDraft, Tier};
use crate::ports::{Ids, NewMemory, VaultTransaction, WriteContext};
use crate::scoring::Scorer;
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;

/// How to store memories.
pub(super) struct StoreConversation<'w> {
    /// Action in the audit log.
    pub(super) action: &'static str,
    pub(super) now: Timestamp,
    pub(super) ids: &'w Arc<dyn Ids>,
    pub(super) defaults: &'w ServerDefaults,
    pub(super) caller: Option<&'w Caller>,
    pub(super) traceparent: Option<&'w str>,
}

/// The stored items.
#[derive(Default)]
pub(super) struct Stored {
    pub(super) memories: Vec<NewMemory>,
    /// Number of memories, by tier.
    pub(super) created: Vec<(Tier, u64)>,
    /// Quota shares of the tiers that grew.
    pub(super) shares: Vec<(Tier, f64)>,
    /// The archived memories.
    pub(super) moved: Vec<Change>,
}

impl StoreConversation<'_> {
    /// Stores one or more memories.
    pub(super) async fn run(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        items: &[Prepared],
    ) -> Result<Stored> {
        let drafts: Vec<&MemoryDraft> = items.iter().map(|item| &item.memory.draft).collect();
        may_store(self.caller, drafts.iter().copied())?;
        let covering = Covering::read(tx.as_reader(), &drafts, self.now).await?;
        let settings = EffectiveSettings::resolve(&context.settings.settings, self.defaults);
        let mut scorer = Scorer::new(&context.goals, settings.weights.value, &[], self.now.start_of_hour());
        let covered = |item: &Prepared| {
            let draft = covering.covered(item.memory.draft.clone(), "messages")?;
            Ok(item.scored(&mut scorer, draft))
        };
        let memories: Vec<NewMemory> = items.iter().map(covered).collect::<Result<_>>()?;
        let seqs = tx.insert_memories(&memories).await?;
        let subject = Some(&memories).filter(|all| all.len() == 1).map(|all| all[0].id.to_string());
        tx.audit(&entry(self.now, self.action, subject, memories.len() as u64)).await?;
        let mut room = Room::new(context, &settings, (&memories, &seqs));
        let moved = room.make(tx, Arc::clone(self.ids), self.now).await?;
        let after = WriteContext { usage: room.usage(), ..context.clone() };
        let admission = Admission::ask(tx, &after, settings.clone(), room.added()).await?;
        admission.follow_up(tx, &**self.ids, self.now, self.traceparent).await?;
        let tools = (&**self.ids, self.defaults);
        embed_later(tx, tools, Some(&context.settings.settings), self.now, self.traceparent).await?;
        let of_tier = |tier: &Tier| memories.iter().filter(|memory| memory.draft.tier == *tier).count() as u64;
        let created = Tier::ALL.iter().map(|tier| (*tier, of_tier(tier))).filter(|(_, items)| *items > 0).collect();
        let shares = admission.shares();
        Ok(Stored { memories, created, shares, moved })
    }
}
