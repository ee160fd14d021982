//! Makes results of the best candidates: loads their memories, and tells how relevant they are and why they were found.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::input::CheckedQuery;
use super::super::output::Recalled;
use super::ended::{Among, Ended};
use super::notes::counted;
use crate::documents::Passage;
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::links::{Direction, Link, Relation};
use crate::memory::Memory;
use crate::ports::VaultReader;
use crate::recall::analysis::Analysis;
use crate::recall::stages::highlights::{self, Needles};
use crate::recall::stages::session::SessionMatch;
use crate::recall::stages::typos::{self, Correction};
use crate::recall::stages::{cut, derived, diversify, relevance};
use crate::recall::{Explanation, Ranked, SessionMemory, Stage, Trace};
use crate::tables::find;

/// Most candidates taken beyond the requested number, to replace near-duplicates.
pub(super) const MAX_SPARE: usize = 20;

/// A result with its memory.
pub(super) type Taken = (Ranked, Memory);

/// Returns the best with their memories. A candidate that repeats a better one is dropped in favour of the next.
pub(super) async fn taken(
    vault: &mut dyn VaultReader,
    (ranked, first, session): (&mut Vec<Ranked>, &[SessionMatch], &[SessionMemory]),
    (query, among): (&CheckedQuery, Among<'_>),
    trace: &mut Trace,
) -> Result<(Vec<Taken>, Ended)> {
    let (mut spare, mut ended) = (0, Ended::default());
    loop {
        let best = cut::best(ranked, first, (query.top_k, spare), (query.reference, &query.plan));
        let mut taken = load(vault, &best, session).await?;
        if ended.give_way(vault, ranked, &taken, (query, among)).await? {
            continue;
        }
        ended.sort(&mut taken);
        trace.left(Stage::Cut, taken.len());
        let all = taken.len();
        let covers = covers(vault, &taken).await?;
        let derived = |taken: &[Taken]| derived::retained(&of(taken), &covers);
        for (stage, kept) in [(Stage::Derived, &derived as Repeats<'_>), (Stage::Diversify, &near as Repeats<'_>)] {
            if query.plan.on(stage) {
                let before = taken.len();
                let mut kept = kept(&taken).into_iter();
                taken.retain(|_| kept.next().unwrap_or(true));
                let gone = before - taken.len();
                trace.left(stage, taken.len().min(query.top_k));
                trace.note(stage, || counted(gone, "gives way", "give way"));
            }
        }
        let gone = all - taken.len();
        if gone == 0 || spare > 0 {
            taken.truncate(query.top_k);
            trace.note(Stage::Ended, || counted(ended.lowered(), "gives way", "give way"));
            return Ok((taken, ended));
        }
        spare = (2 * gone).min(MAX_SPARE);
    }
}

/// Reports for each result whether no better one says it already.
type Repeats<'a> = &'a (dyn Fn(&[Taken]) -> Vec<bool> + Sync);

fn of(taken: &[Taken]) -> Vec<&Memory> {
    taken.iter().map(|(_, memory)| memory).collect()
}

/// Returns the sources of summaries and the premises of conclusions among them.
async fn covers(vault: &mut dyn VaultReader, taken: &[Taken]) -> Result<Vec<(MemoryId, MemoryId)>> {
    let summaries = derived::summaries(&of(taken));
    if summaries.is_empty() {
        return Ok(Vec::new());
    }
    let relations = [Relation::Summarizes, Relation::DerivedFrom].map(Relation::name);
    let query = Link::of(summaries, Direction::Out).among(&["relation"], relations);
    let links = find::<Link>(vault, &query).await?;
    let concluded = |id: MemoryId| taken.iter().any(|(_, memory)| memory.id == id && memory.draft.is_concluded());
    let is_its = |link: &Link| (link.relation == Relation::DerivedFrom) == concluded(link.from);
    Ok(links.into_iter().filter(is_its).map(|link| (link.from, link.to)).collect())
}

fn near(taken: &[Taken]) -> Vec<bool> {
    let searched: Vec<_> = taken.iter().map(|(_, memory)| memory.draft.search_text()).collect();
    diversify::retained(&searched.iter().map(|text| &**text).collect::<Vec<_>>())
}

/// Loads the winners: those of the session from the cache, the others from the vault.
async fn load(vault: &mut dyn VaultReader, best: &[Ranked], session: &[SessionMemory]) -> Result<Vec<Taken>> {
    let kept = |seq: Seq| session.iter().find(|one| one.memory.seq == seq).map(|one| one.memory.clone());
    let mut memories: Vec<Memory> = best.iter().filter_map(|one| kept(one.seq)).collect();
    let missing: Vec<Seq> = best.iter().map(|one| one.seq).filter(|seq| kept(*seq).is_none()).collect();
    if !missing.is_empty() {
        memories.extend(vault.memories(&missing).await?);
    }
    let mut taken = |one: &Ranked| {
        let index = memories.iter().position(|memory| memory.seq == one.seq)?;
        Some((*one, memories.swap_remove(index)))
    };
    Ok(best.iter().filter_map(&mut taken).collect())
}

/// Returns the results, in the order of their scores.
pub(super) fn answer(
    (taken, mut ended): (Vec<Taken>, Ended),
    mut passages: HashMap<Seq, Vec<Passage>>,
    (analysis, corrections): (&Analysis, &[Correction]),
    query: &CheckedQuery,
) -> Vec<Recalled> {
    let stages = query.plan.stages;
    let relevance = {
        let searched: Vec<_> = taken.iter().map(|(one, memory)| with(passages.get(&one.seq), memory)).collect();
        let texts: Vec<(&Ranked, &str)> = taken.iter().zip(&searched).map(|((one, _), text)| (one, &**text)).collect();
        let own = relevance::estimate(&texts, analysis, corrections);
        ended.relevances(&taken, &own)
    };
    let needles = stages.on(Stage::Highlights).then(|| Needles::of(&query.text, analysis, corrections));
    let highlights = |content: &str| {
        let read = content.floor_char_boundary(query.max_content_bytes.unwrap_or(content.len()));
        needles.as_ref().map(|needles| highlights::of(&content[..read], needles)).unwrap_or_default()
    };
    let explanation = |one: &Ranked, content: &str| {
        let found_by = typos::found_by(one.parts.found_by, content, analysis, corrections);
        Explanation { found_by, ..one.parts }
    };
    let mut recalled = |((one, memory), relevance): (Taken, f64)| {
        let explanation = stages.on(Stage::Explain).then(|| explanation(&one, &memory.draft.content));
        let mut parts = explanation.map(|parts| parts.parts(stages)).unwrap_or_default();
        if !parts.is_empty() {
            parts.push((Stage::Relevance, relevance));
        }
        let highlights = highlights(&memory.draft.content);
        let passages = passages.remove(&one.seq).unwrap_or_default();
        let (ended_at, superseded_by) = ended.end_of(memory.id);
        let stated_by = ended.stating(memory.id);
        let (score, gave_way) = (one.score, one.parts.ended_factor < 1.0);
        Recalled {
            memory,
            score,
            relevance,
            highlights,
            passages,
            ended_at,
            gave_way,
            superseded_by,
            stated_by,
            explanation,
            parts,
        }
    };
    taken.into_iter().zip(relevance).map(&mut recalled).collect()
}

/// Returns the text of a result that is compared with the query; for a document, with its best passages.
fn with<'m>(passages: Option<&Vec<Passage>>, memory: &'m Memory) -> Cow<'m, str> {
    let own = memory.draft.search_text();
    match passages {
        Some(passages) => {
            let texts = passages.iter().map(|passage| passage.text.as_str());
            Cow::Owned(std::iter::once(&*own).chain(texts).collect::<Vec<_>>().join("\n"))
        }
        None => own,
    }
}
