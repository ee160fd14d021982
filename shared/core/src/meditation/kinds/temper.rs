//! `temper`: it is noted that a memory became hotter or colder. Nothing else becomes of it: it stays active.

use async_trait::async_trait;

use super::why::RETRIEVED;
use super::{Applying, Rules};
use crate::error::Result;
use crate::meditation::{Change, Reason};
use crate::memory::{Memory, MemoryState};
use crate::ports::VaultTransaction;
use crate::retention::{NotedTemperature, Temperature, WarmthReason, readable_span};
use crate::tables::put;
use crate::time::Timestamp;

/// How warm it is, by its place among all,
pub(in crate::meditation) const TEMPERATURE: &str = "temperature";
/// why, by its place among all reasons,
pub(in crate::meditation) const WHY: &str = "why";
/// how far it has decayed,
pub(in crate::meditation) const DECAY: &str = "decay";
/// how much it matters,
pub(in crate::meditation) const PRIORITY: &str = "priority";
/// and since when it was not used.
pub(in crate::meditation) const IDLE: &str = "idle";

/// Notes it.
pub(super) struct Temper;

fn becomes(change: &Change) -> Option<(Temperature, WarmthReason)> {
    change.body.chosen(TEMPERATURE, Temperature::ALL).zip(change.body.chosen(WHY, WarmthReason::ALL))
}

#[async_trait]
impl Rules for Temper {
    fn numbers(&self) -> &'static [&'static str] {
        &[TEMPERATURE, WHY, DECAY, PRIORITY, IDLE, RETRIEVED]
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

    fn holds(&self, change: &Change, memory: &Memory, _: Timestamp) -> bool {
        let used = change.reason == Reason::Cooled && memory.access_count > change.body.count(RETRIEVED);
        memory.state == MemoryState::Active && !used
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying) -> Result<()> {
        let note = |change: &&Change| {
            let (temperature, reason) = becomes(change)?;
            Some(NotedTemperature { memory: change.memory_id(), temperature, reason, since: when.at })
        };
        put(tx, &changes.iter().filter_map(note).collect::<Vec<_>>()).await
    }
}
