//! `conclude`: stores a conclusion from several records as a record derived from them. A change names the records and
//! the rule. The conclusion is derived from them again when the change is carried out, since changes hold no text.

use std::collections::BTreeSet;

use async_trait::async_trait;

use super::{Applying, Body, Making, Refused, Rules};
use crate::entities::Graph;
use crate::error::Result;
use crate::ids::{EntityId, MemoryId};
use crate::meditation::Change;
use crate::meditation::kinds::reading::named;
use crate::memory::{InsightType, Memory};
use crate::ports::VaultTransaction;
use crate::reasoning::{Conclusion, Known, Rule, digest_of, is_premise};
use crate::time::Timestamp;
use crate::usecases::insights::{Concluded, store_conclusion};

/// The rule, by its index in [`Rule::ALL`].
const RULE: &str = "rule";
/// The entity that the conclusion is about, by [`digits`] of its id.
pub(super) const ABOUT: &str = "about";
/// The confidence in the conclusion.
const CONFIDENCE: &str = "confidence";
/// The [`digest_of`] of the conclusion's text; the text itself is not stored.
pub(super) const SAYS: &str = "says";

/// The rules of `conclude`.
pub(super) struct Conclude;

/// Returns the numbers of a change that stores this conclusion.
pub(in crate::meditation) fn concluding(conclusion: &Conclusion) -> Body {
    let body = Body::default().choice(RULE, conclusion.rule, Rule::ALL).whole(ABOUT, digits(conclusion.about));
    body.part(CONFIDENCE, conclusion.confidence).whole(SAYS, digest_of(&conclusion.text))
}

/// Returns 32 bits of an entity's id, by which a change names it.
pub(super) fn digits(id: EntityId) -> u64 {
    u64::from(id.0.as_fields().0)
}

fn rule(change: &Change) -> Option<Rule> {
    change.body.chosen(RULE, Rule::ALL)
}

#[async_trait]
impl Rules for Conclude {
    fn numbers(&self) -> &'static [&'static str] {
        &[RULE, ABOUT, CONFIDENCE, SAYS]
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.conclude")
    }

    fn explain(&self, change: &Change) -> String {
        let Some(rule) = rule(change) else { return String::new() };
        let how = match rule.insight_type() {
            InsightType::Deduction => "deduced",
            InsightType::Induction => "induced",
        };
        let memories = if change.subjects.len() == 1 { "memory" } else { "memories" };
        let (name, count, confidence) = (rule.name(), change.subjects.len(), change.body.real(CONFIDENCE));
        format!("{how} by {name} from {count} {memories}, with confidence {confidence:.2}")
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
        let mut known = Concluded::read(tx.as_reader()).await?;
        for (index, change) in changes.iter().enumerate() {
            let own: BTreeSet<MemoryId> = change.subjects.iter().map(|subject| MemoryId(subject.id)).collect();
            let memories: Vec<Memory> = premises.iter().filter(|memory| own.contains(&memory.id)).cloned().collect();
            if !conclude(tx, making, (change, &graph, &memories, &mut known), when.at).await? {
                refused.push(index);
            }
        }
        Ok(refused)
    }
}

/// Keeps the conclusion from these records by the change's rule, unless it is known, and adds it to the known ones.
/// Reports whether it did.
async fn conclude(
    tx: &mut dyn VaultTransaction,
    making: Making<'_>,
    (change, graph, memories, known): (&Change, &Graph, &[Memory], &mut Concluded),
    now: Timestamp,
) -> Result<bool> {
    let Some(conclusion) = found(change, graph, memories, now) else { return Ok(false) };
    let premises: Vec<&Memory> = memories.iter().collect();
    let namespace = memories.first().map_or("", |memory| memory.draft.namespace.as_str());
    if known.knows(namespace, &conclusion, now) {
        return Ok(false);
    }
    let Some(id) = store_conclusion(tx, making, (&conclusion, &premises), now).await? else { return Ok(false) };
    known.all.extend(tx.memory(id).await?);
    Ok(true)
}

/// Returns the conclusion from all of these records by the rule, if it says what was planned.
fn found(change: &Change, graph: &Graph, memories: &[Memory], now: Timestamp) -> Option<Conclusion> {
    let known = Known::new(graph, memories, now);
    let (rule, about, says) = (rule(change)?, change.body.count(ABOUT), change.body.count(SAYS));
    let mut meant = graph.entities.iter().filter(|entity| digits(entity.id) == about);
    meant.find_map(|entity| known.concluded(entity, rule, says))
}
