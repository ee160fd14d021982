//! Finds memories that name the query's entities, or entities near them.

use super::super::around::Around;
use super::super::input::CheckedQuery;
use super::notes::counted;
use crate::entities::FRESH_FOR;
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::memory::MemoryFilter;
use crate::ports::VaultReader;
use crate::recall::candidates::{Found, merge};
use crate::recall::stages::entities;
use crate::recall::{FoundBy, Stage, Trace};

/// Adds these memories to what was found, with the strength that the stage gives them.
pub(super) async fn add(
    vault: &mut dyn VaultReader,
    (query, filter, text): (&CheckedQuery, &MemoryFilter, &str),
    found: &mut Vec<Found>,
    around: &Around,
    trace: &mut Trace,
) -> Result<()> {
    if !query.plan.on(Stage::Entities) {
        return Ok(());
    }
    let times = (around.now.minus(FRESH_FOR), around.now);
    let (_, graph) = around.graphs.load(vault, (&around.user, &filter.namespaces), times).await?;
    let best = found.iter().map(|one| one.strength).fold(0.0, f64::max);
    let named = entities::named(&graph, text, if best > 0.0 { best } else { 1.0 });
    let ids: Vec<MemoryId> = named.iter().map(|(id, _)| *id).collect();
    let mut strengths: Vec<(Seq, f64)> = Vec::with_capacity(named.len());
    for (id, seq) in vault.seqs(&ids).await? {
        if let Ok(at) = named.binary_search_by_key(&id, |(id, _)| *id) {
            strengths.push((seq, named[at].1));
        }
    }
    strengths.sort_by_key(|(seq, _)| *seq);
    let seqs: Vec<Seq> = strengths.iter().map(|(seq, _)| *seq).collect();
    let hits = if seqs.is_empty() { Vec::new() } else { vault.at_seqs(&seqs, filter).await? };
    trace.note(Stage::Entities, || counted(hits.len(), "names them", "name them"));
    found.extend(hits.into_iter().filter_map(|hit| {
        let at = strengths.binary_search_by_key(&hit.seq, |(seq, _)| *seq).ok()?;
        Some(Found::new(hit, strengths[at].1, FoundBy::ENTITY))
    }));
    *found = merge(std::mem::take(found));
    Ok(())
}
