//! `describe`: turns what is known about an entity into its profile, a named record that replaces the previous profile.
//! A change names the records. The description is built from them again when the change is carried out, since changes
//! hold no text.

use std::collections::BTreeSet;

use async_trait::async_trait;

use super::conclude::{ABOUT, SAYS, digits};
use super::{Applying, Body, Making, Refused, Rules};
use crate::entities::Graph;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::Change;
use crate::meditation::kinds::reading::named;
use crate::memory::Memory;
use crate::ports::VaultTransaction;
use crate::reasoning::{Known, Narrative, digest_of, is_premise};
use crate::time::Timestamp;
use crate::usecases::profiles::{Written, describe};

/// The rules of `describe`.
pub(super) struct Describe;

/// Returns the numbers of a change that writes this description.
pub(in crate::meditation) fn describing(told: &Narrative) -> Body {
    Body::default().whole(ABOUT, digits(told.about)).whole(SAYS, digest_of(&told.text))
}

#[async_trait]
impl Rules for Describe {
    fn numbers(&self) -> &'static [&'static str] {
        &[ABOUT, SAYS]
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.describe")
    }

    fn explain(&self, change: &Change) -> String {
        let because = super::why::sentence(change.reason, change);
        format!("a profile of {} memories is written: {because}", change.subjects.len())
    }

    fn holds(&self, _: &Change, memory: &Memory, now: Timestamp) -> bool {
        is_premise(memory, super::Stated::by(now))
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying<'_>) -> Result<Refused> {
        let Some((making, graph)) = when.making.and_then(|making| Some((making, making.graph?))) else {
            return Ok((0..changes.len()).collect());
        };
        let mut refused = Vec::new();
        let (premises, graph) = named(tx, changes, (graph, when.at)).await?;
        let written = Written::read(tx.as_reader()).await?;
        for (index, change) in changes.iter().enumerate() {
            if !write(tx, making, (change, &graph, &premises, &written), when.at).await? {
                refused.push(index);
            }
        }
        Ok(refused)
    }
}

/// Writes the description that a change plans. Reports whether it did.
async fn write(
    tx: &mut dyn VaultTransaction,
    making: Making<'_>,
    (change, graph, premises, written): (&Change, &Graph, &[Memory], &[Written]),
    now: Timestamp,
) -> Result<bool> {
    let own: BTreeSet<MemoryId> = change.subjects.iter().map(|subject| MemoryId(subject.id)).collect();
    let memories: Vec<Memory> = premises.iter().filter(|memory| own.contains(&memory.id)).cloned().collect();
    let known = Known::new(graph, &memories, now);
    let about = graph.entities.iter().filter(|entity| digits(entity.id) == change.body.count(ABOUT));
    let says = change.body.count(SAYS);
    let mut told = about.filter_map(|entity| known.narrative(entity));
    let told = told.find(|told| told.rests_on() == own && digest_of(&told.text) == says);
    let Some(told) = told else { return Ok(false) };
    describe(tx, making, (&told, &memories, written), now).await
}
