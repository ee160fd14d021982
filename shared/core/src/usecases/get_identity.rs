//! Returns an assistant's identity: its values, drives, goals and the beliefs with most support, by authority.

mod document;

use std::collections::HashMap;

use super::App;
use super::support::namespace_for;
use crate::bounds::{MAX_IDENTITY, MAX_PAGE_BYTES, MAX_PAGE_SIZE};
use crate::boxed;
use crate::error::Result;
use crate::goals::Goal;
use crate::ids::{MemoryId, UserId};
use crate::links::{Direction, Link, Relation};
use crate::memory::{Detail, ListOrder, Memory, MemoryFilter, RecordKind};
use crate::ports::{ListKey, VaultReader};
use crate::tables::find;

/// An assistant's identity; at most 50 of each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Identity {
    /// Values, highest priority first.
    pub values: Vec<Memory>,
    /// Drives, most intense first.
    pub drives: Vec<Memory>,
    /// Active goals, most important first; none for a caller who reaches only some memories.
    pub goals: Vec<Goal>,
    /// Beliefs, best supported first.
    pub beliefs: Vec<SupportedBelief>,
}

/// A belief and its support.
#[derive(Clone, Debug, PartialEq)]
pub struct SupportedBelief {
    /// The belief.
    pub memory: Memory,
    /// Its confidence × (1 + its verifications + the sum of weight × confidence over its sources).
    pub support: f64,
}

impl App {
    /// Returns the identity of a namespace, from records valid now.
    #[boxed]
    pub async fn get_identity(&self, user: &UserId, namespace: &str) -> Result<Identity> {
        let namespaces = vec![namespace_for(self.caller.as_deref(), namespace)?];
        let filter = MemoryFilter { namespaces, ..MemoryFilter::default() }.holding(self.clock.now());
        let sees_goals = !self.is_limited();
        let read = self.vaults.read(user, move |reader| {
            let filter = filter.clone();
            Box::pin(async move {
                let goals = if sees_goals { reader.write_context(None).await?.goals } else { Vec::new() };
                read(reader, &filter, goals).await
            })
        });
        read.await
    }
}

async fn read(reader: &mut dyn VaultReader, filter: &MemoryFilter, mut goals: Vec<Goal>) -> Result<Identity> {
    goals.sort_by(|one, other| other.draft.importance.total_cmp(&one.draft.importance).then(one.id.cmp(&other.id)));
    goals.truncate(MAX_IDENTITY);
    Ok(Identity {
        values: strongest(reader, filter, RecordKind::Value).await?.into_iter().map(|(memory, _)| memory).collect(),
        drives: strongest(reader, filter, RecordKind::Drive).await?.into_iter().map(|(memory, _)| memory).collect(),
        goals,
        beliefs: strongest(reader, filter, RecordKind::Belief)
            .await?
            .into_iter()
            .map(|(memory, support)| SupportedBelief { memory, support })
            .collect(),
    })
}

/// Returns the records of a kind with the highest authority, older first among equals. Reads all of them, a page at a time.
async fn strongest(
    reader: &mut dyn VaultReader,
    filter: &MemoryFilter,
    kind: RecordKind,
) -> Result<Vec<(Memory, f64)>> {
    let filter = MemoryFilter { kinds: vec![kind], ..filter.clone() };
    let (mut best, mut after) = (Vec::new(), None);
    loop {
        let page = reader.list(&filter, ListOrder::OldestFirst, after, MAX_PAGE_SIZE, MAX_PAGE_BYTES).await?;
        let Some(newest) = page.last() else { return Ok(best) };
        after = Some(ListKey { created_at: newest.created_at, seq: newest.seq });
        let sources = if kind == RecordKind::Belief { sources(reader, &page).await? } else { HashMap::new() };
        best.extend(page.into_iter().map(|memory| {
            let of_sources = sources.get(&memory.id).copied().unwrap_or_default();
            let authority = authority(&memory, of_sources);
            (memory, authority)
        }));
        // The sort is stable, so older records come first.
        best.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        best.truncate(MAX_IDENTITY);
    }
}

/// Returns the priority of a value, the intensity of a drive, or the support of a belief.
fn authority(memory: &Memory, of_sources: f64) -> f64 {
    match &memory.draft.detail {
        Some(Detail::Value(value)) => f64::from(value.priority),
        Some(Detail::Drive(drive)) => drive.intensity,
        _ if memory.draft.kind == RecordKind::Belief => {
            memory.belief.confidence * (1.0 + of_verifications(memory) + of_sources)
        }
        _ => 0.0,
    }
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn of_verifications(memory: &Memory) -> f64 {
    memory.belief.verification_count as f64
}

/// Sums weight × confidence over each record's links to its sources.
async fn sources(reader: &mut dyn VaultReader, page: &[Memory]) -> Result<HashMap<MemoryId, f64>> {
    let links = Link::of(page.iter().map(|memory| memory.id), Direction::Out);
    let mut weights = HashMap::new();
    for link in find::<Link>(reader, &links.is("relation", Relation::DerivedFrom.name())).await? {
        *weights.entry(link.from).or_default() += link.weight * link.confidence;
    }
    Ok(weights)
}
