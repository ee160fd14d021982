//! `temper`: records that a memory became hotter or colder. It stays active, and nothing else changes.

use async_trait::async_trait;

use super::{Applying, Refused, Rules};
use crate::error::Result;
use crate::meditation::Change;
use crate::memory::{Memory, MemoryState};
use crate::ports::VaultTransaction;
use crate::retention::{Connections, NotedTemperature, Temperature, Warmth, WarmthFacts, WarmthReason, readable_span};
use crate::tables::put;
use crate::time::Timestamp;

/// The temperature, by its index in [`Temperature::ALL`].
pub(in crate::meditation) const TEMPERATURE: &str = "temperature";
/// The reason, by its index in [`WarmthReason::ALL`].
pub(in crate::meditation) const WHY: &str = "why";
/// The decay, in [0, 1].
pub(in crate::meditation) const DECAY: &str = "decay";
/// The priority, in [0, 1].
pub(in crate::meditation) const PRIORITY: &str = "priority";
/// The time since its last use.
pub(in crate::meditation) const IDLE: &str = "idle";

/// The rules of `temper`.
pub(super) struct Temper;

fn becomes(change: &Change) -> Option<(Temperature, WarmthReason)> {
    change.body.chosen(TEMPERATURE, Temperature::ALL).zip(change.body.chosen(WHY, WarmthReason::ALL))
}

#[async_trait]
impl Rules for Temper {
    fn numbers(&self) -> &'static [&'static str] {
        &[TEMPERATURE, WHY, DECAY, PRIORITY, IDLE]
    }

    fn is_derived(&self) -> bool {
        true
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.temper")
    }

    fn explain(&self, change: &Change) -> String {
        let Some((temperature, reason)) = becomes(change) else { return String::new() };
        let body = &change.body;
        let (decay, priority, idle) = (body.real(DECAY), body.real(PRIORITY), readable_span(body.time(IDLE)));
        format!("{temperature} by {reason}: decay {decay:.2}, priority {priority:.2}, not used for {idle}")
    }

    /// Fails if the memory was used, tagged or protected since: it is hotter then, whatever its connections are.
    fn holds(&self, change: &Change, memory: &Memory, now: Timestamp) -> bool {
        let coldest = Warmth::of(&WarmthFacts::of(memory), Connections::default(), now).temperature;
        let too_cold = becomes(change).is_none_or(|(becomes, _)| becomes.is_colder_than(coldest));
        memory.state == MemoryState::Active && !too_cold
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], _: Applying<'_>) -> Result<Refused> {
        let note = |change: &&Change| {
            let (temperature, _) = becomes(change)?;
            Some(NotedTemperature { memory: change.memory_id(), temperature })
        };
        put(tx, &changes.iter().filter_map(note).collect::<Vec<_>>()).await?;
        Ok(Refused::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MemoryId, Seq};
    use crate::meditation::kinds::Body;
    use crate::meditation::{Kind, Reason, RetentionItem};
    use crate::memory::MemoryDraft;
    use crate::time::Span;

    #[test]
    fn what_was_used_tagged_or_protected_since_is_not_noted_as_cold() {
        let created_at = Timestamp(1_763_640_000_000_000);
        let now = created_at.plus(Span::days(100));
        let old = Memory::new(MemoryId(uuid::Uuid::nil()), Seq(1), MemoryDraft::default(), created_at);
        let body = |temperature| {
            let body = Body::default().choice(TEMPERATURE, temperature, Temperature::ALL);
            body.choice(WHY, WarmthReason::StaleAndLowPriority, WarmthReason::ALL)
        };
        let holds = |temperature, change: fn(&mut Memory, Timestamp)| {
            let mut memory = old.clone();
            change(&mut memory, now);
            let item = RetentionItem::of(&old);
            Temper.holds(&Change::of(&item, Kind::Temper, Reason::Cooled, body(temperature)), &memory, now)
        };
        assert!(holds(Temperature::Cold, |_, _| {}) && holds(Temperature::Warm, |_, _| {}));
        let changes: [fn(&mut Memory, Timestamp); 5] = [
            |memory, now| memory.last_seen_at = now,
            |memory, now| memory.updated_at = now,
            |memory, _| memory.draft.protected = true,
            |memory, _| memory.draft.metadata.tags = vec!["travel".to_owned()],
            |memory, _| memory.state = MemoryState::Archived,
        ];
        for (at, change) in changes.into_iter().enumerate() {
            assert!(!holds(Temperature::Cold, change), "{at}");
        }
        assert!(holds(Temperature::Warm, |memory, _| memory.draft.metadata.tags = vec!["travel".to_owned()]));
    }
}
