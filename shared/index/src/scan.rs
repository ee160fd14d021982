//! Compares a query with rows: all of them, or those proposed by trees.

use std::cmp::Ordering;
use std::collections::HashSet;

use kimberly_core::embedding::{VectorHit, VectorSubject};
use kimberly_core::error::Result;
use kimberly_core::ports::CENTRE_OF;

use crate::quantize::{self, Quantized, cosine, cosine_of};
use crate::store::Snapshot;

/// A row and its cosine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored {
    pub(crate) cosine: f32,
    pub(crate) row: u32,
}

/// All rows with their cosines.
pub(crate) fn all(snapshot: &Snapshot<'_>, query: &Quantized) -> Result<Vec<Scored>> {
    let mut scored = Vec::with_capacity(snapshot.stamp.vectors as usize);
    let mut dots = vec![0; snapshot.per_block()];
    let mut row = 0;
    for block in snapshot.blocks()? {
        let (components, lengths) = block?.vectors();
        quantize::dots(query, components, &mut dots);
        for (dot, length) in dots.iter().zip(lengths) {
            scored.push(Scored { cosine: cosine_of(*dot, query.inverse_length, length), row });
            row += 1;
        }
    }
    Ok(scored)
}

/// The mean of the first `CENTRE_OF` rows or so, each normalized; `None` if the index is empty.
pub(crate) fn centre(snapshot: &Snapshot<'_>) -> Result<Option<Vec<f32>>> {
    let mut sum = vec![0.0_f32; snapshot.stamp.dimension()];
    let (mut count, blocks) = (0.0_f32, CENTRE_OF.div_ceil(snapshot.per_block()));
    for block in snapshot.blocks()?.take(blocks) {
        let (components, lengths) = block?.vectors();
        for (row, inverse_length) in components.chunks_exact(sum.len()).zip(lengths) {
            for (sum, component) in sum.iter_mut().zip(row) {
                *sum += f32::from(*component) * inverse_length;
            }
            count += 1.0;
        }
    }
    Ok((count > 0.0).then(|| sum.iter().map(|sum| sum / count).collect()))
}

/// Given rows with their cosines; `rows` must be sorted, so that each block is read once.
pub(crate) fn some(snapshot: &Snapshot<'_>, query: &Quantized, rows: &[u32]) -> Result<Vec<Scored>> {
    let mut scored = Vec::with_capacity(rows.len());
    let mut open = None;
    for &row in rows {
        let (number, slot) = snapshot.slot_of(row);
        let block = match open {
            Some((opened, block)) if opened == number => block,
            _ => snapshot.block(number)?,
        };
        open = Some((number, block));
        if let Some((components, length)) = block.row(slot) {
            scored.push(Scored { cosine: cosine(query, components, length), row });
        }
    }
    Ok(scored)
}

/// The memories of the nearest rows, each once with its best chunk, nearest first; at most `limit`.
pub(crate) fn memories(snapshot: &Snapshot<'_>, mut scored: Vec<Scored>, limit: usize) -> Result<Vec<VectorHit>> {
    let goals = snapshot.stamp.goal_vectors as usize;
    // Goals and further chunks of a memory occupy rows, so the search widens until it has enough memories.
    let mut wanted = limit.saturating_add(goals);
    loop {
        let take = wanted.min(scored.len());
        if take < scored.len() {
            scored.select_nth_unstable_by(take, |a, b| nearer(*a, *b));
        }
        scored[..take].sort_unstable_by(|a, b| nearer(*a, *b));
        let hits = resolve(snapshot, &scored[..take], limit)?;
        if hits.len() == limit || take == scored.len() {
            return Ok(hits);
        }
        wanted = wanted.saturating_mul(2);
    }
}

/// Nearest first; ties are ordered by row, for a deterministic order.
fn nearer(a: Scored, b: Scored) -> Ordering {
    b.cosine.total_cmp(&a.cosine).then(a.row.cmp(&b.row))
}

fn resolve(snapshot: &Snapshot<'_>, nearest: &[Scored], limit: usize) -> Result<Vec<VectorHit>> {
    let metas = if nearest.len() * 4 > snapshot.stamp.vectors as usize { Some(snapshot.metas()?) } else { None };
    let mut hits = Vec::with_capacity(nearest.len().min(limit));
    let mut seen = HashSet::with_capacity(nearest.len().min(limit));
    for scored in nearest {
        let known = metas.as_ref().and_then(|metas| metas.get(scored.row as usize).copied());
        let meta = known.map_or_else(|| snapshot.row(scored.row).map(|(meta, ..)| meta), Ok)?;
        if let VectorSubject::Memory(seq) = meta.subject
            && seen.insert(seq)
        {
            hits.push(VectorHit { seq, chunk: meta.chunk, cosine: scored.cosine });
            if hits.len() == limit {
                break;
            }
        }
    }
    Ok(hits)
}
