//! Finds documents by their passages.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::around::Around;
use super::answer::Taken;
use crate::documents::{Best, DocumentCache, Index, MOST as PASSAGES, Passage, Sought, search};
use crate::error::Result;
use crate::ids::{MemoryId, Seq, UserId};
use crate::memory::MemoryFilter;
use crate::ports::VaultReader;
use crate::recall::analysis::Analysis;
use crate::recall::candidates::Found;
use crate::recall::stages::passages::{self, MOST};
use crate::recall::{Correction, Plan};
use crate::tables::find;

/// Most bytes of indexes for one query, for about 23 MB of texts. If there are more documents, the newest are searched.
const MOST_BYTES: usize = 32 << 20;

/// Documents that pass a filter, with indexes of their words.
pub(super) type Documents = Vec<(MemoryId, Arc<Index>)>;

/// Passages of each document to return, best first.
pub(super) type BestPassages = HashMap<Seq, (MemoryId, Vec<u64>)>;

/// Loads the documents that may be found.
pub(super) async fn load(vault: &mut dyn VaultReader, filter: &MemoryFilter, around: &Around) -> Result<Documents> {
    let firsts = find::<Passage>(vault, &Passage::firsts(filter)).await?;
    let (mut documents, mut bytes) = (Vec::with_capacity(firsts.len()), 0);
    for first in firsts.iter().rev() {
        let index = index(vault, (&around.user, &around.documents), first).await?;
        bytes += index.bytes();
        if bytes > MOST_BYTES && !documents.is_empty() {
            break;
        }
        documents.push((first.document, index));
    }
    Ok(documents)
}

async fn index(
    vault: &mut dyn VaultReader,
    (user, cache): (&UserId, &DocumentCache),
    first: &Passage,
) -> Result<Arc<Index>> {
    if let Some(index) = cache.get(user, first.document, first.read_at) {
        return Ok(index);
    }
    let passages = Passage::all(vault, first.document).await?;
    let index = Arc::new(Index::new(passages.iter().map(|passage| passage.text.as_str())));
    cache.put(user, first.document, first.read_at, Arc::clone(&index));
    Ok(index)
}

/// Adds the documents with a passage that holds words of the query, and returns those passages.
pub(super) async fn add(
    vault: &mut dyn VaultReader,
    documents: &Documents,
    (filter, plan): (&MemoryFilter, &Plan),
    (analysis, corrections, found): (&Analysis, &[Correction], &mut Vec<Found>),
) -> Result<BestPassages> {
    let indexes: Vec<Arc<Index>> = documents.iter().map(|(_, index)| Arc::clone(index)).collect();
    let others = vault.usage().await?.counts.iter().flatten().map(|count| count.items).sum();
    let sought = passages::sought(analysis, corrections);
    let mut best = search(&indexes, &sought, others);
    if best.is_empty() && !sought.all.is_empty() && !analysis.only_phrases {
        best = search(&indexes, &Sought { all: Vec::new(), ..sought }, others);
    }
    best.truncate(MOST);
    let of = |one: &Best| documents.get(one.document).map(|(id, _)| *id);
    if !analysis.phrases.is_empty() {
        retain_phrases(vault, documents, analysis, &mut best).await?;
    }
    let ids: Vec<MemoryId> = best.iter().filter_map(of).collect();
    if ids.is_empty() {
        return Ok(BestPassages::new());
    }
    let seqs: HashMap<MemoryId, Seq> = vault.seqs(&ids).await?.into_iter().collect();
    let wanted: Vec<Seq> = ids.iter().filter_map(|id| seqs.get(id).copied()).collect();
    let hits: HashMap<Seq, _> = vault.at_seqs(&wanted, filter).await?.into_iter().map(|hit| (hit.seq, hit)).collect();
    let (mut by_passages, mut chosen) = (Vec::new(), BestPassages::new());
    for one in best {
        let Some(id) = of(&one) else { continue };
        let Some(hit) = seqs.get(&id).and_then(|seq| hits.get(seq)) else { continue };
        by_passages.push(passages::found(hit.clone(), &one, &plan.weights));
        chosen.insert(hit.seq, (id, one.passages));
    }
    passages::join(found, by_passages);
    Ok(chosen)
}

/// Keeps the passages that hold the quoted phrases. If none does and the query has other words, quotes are just words.
async fn retain_phrases(
    vault: &mut dyn VaultReader,
    documents: &Documents,
    analysis: &Analysis,
    best: &mut Vec<Best>,
) -> Result<()> {
    let mut holding = Vec::new();
    for one in best.iter() {
        let Some((id, _)) = documents.get(one.document) else { continue };
        let texts = find::<Passage>(vault, &Passage::at(*id, one.passages.iter().copied())).await?;
        let holds =
            |at: &u64| texts.iter().any(|one| one.position == *at && passages::holds_phrases(&one.text, analysis));
        let passages: Vec<u64> = one.passages.iter().copied().filter(holds).take(PASSAGES).collect();
        if !passages.is_empty() {
            holding.push(Best { passages, ..one.clone() });
        }
    }
    if !holding.is_empty() || analysis.only_phrases {
        *best = holding;
    }
    for one in best {
        one.passages.truncate(PASSAGES);
    }
    Ok(())
}

/// Returns the texts of the results' best passages.
pub(super) async fn texts(
    vault: &mut dyn VaultReader,
    taken: &[Taken],
    chosen: &BestPassages,
) -> Result<HashMap<Seq, Vec<Passage>>> {
    let mut texts = HashMap::new();
    for (one, _) in taken {
        let Some((id, positions)) = chosen.get(&one.seq) else { continue };
        let mut found = find::<Passage>(vault, &Passage::at(*id, positions.iter().copied())).await?;
        found.sort_by_key(|passage| positions.iter().position(|at| *at == passage.position));
        texts.insert(one.seq, found);
    }
    Ok(texts)
}
