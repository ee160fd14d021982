//! Finds memories by words, parts of words, quoted phrases and times.

use super::super::input::CheckedQuery;
use super::notes::counted;
use super::unknown::Unknown;
use super::unknown::replacements;
use crate::bounds;
use crate::error::Result;
use crate::memory::{ListOrder, Memory, MemoryFilter};
use crate::ports::{LexicalHit, VaultReader};
use crate::recall::analysis::Analysis;
use crate::recall::candidates::{self, Found};
use crate::recall::stages::typos::Correction;
use crate::recall::stages::{expand, parts, time, words};
use crate::recall::weights::{ALTERNATIVE, DEPTH, HITS};
use crate::recall::{FoundBy, Stage, Trace};

/// The further searches of a query.
pub(super) struct Beside {
    /// Parts of the query.
    pub(super) parts: Vec<Analysis>,
    /// Other words for the query.
    pub(super) alternatives: Vec<Analysis>,
}

/// Finds memories by what they say, and by when they happened.
pub(super) async fn find(
    vault: &mut dyn VaultReader,
    query: &CheckedQuery,
    filter: &MemoryFilter,
    (analysis, beside, unknown): (&Analysis, &Beside, &mut Unknown),
    trace: &mut Trace,
) -> Result<Vec<Found>> {
    if analysis.is_wordless() && query.plan.on(Stage::Words) {
        return wordless(vault, query, filter).await;
    }
    let asked = unknown.found.take();
    let mut found = by_words(vault, query, filter, (analysis, &unknown.corrections), asked).await?;
    for (others, share) in [(&beside.parts, 1.0), (&beside.alternatives, ALTERNATIVE)] {
        let mut of_others = Vec::with_capacity(others.len());
        for other in others {
            of_others.push(by_words(vault, query, filter, (other, &unknown.corrections), None).await?);
        }
        found = expand::join(found, of_others, share);
    }
    trace.note(Stage::Words, || counted(found.len(), "hit of the index", "hits of the index"));
    let best = found.iter().map(|one| one.strength).fold(0.0, f64::max);
    let mut held = Vec::with_capacity(unknown.parts.len());
    for part in &unknown.parts {
        held.push(vault.substring(part, filter, parts::MAX_HELD).await?);
    }
    found.extend(parts::found(held, best));
    for phrase in analysis.text_phrases() {
        let holding = vault.substring(phrase, filter, bounds::MAX_PAGE_SIZE).await?;
        retain_phrase(&mut found, holding, analysis.only_phrases);
    }
    if !analysis.only_phrases {
        let mut by_time = of_named_times(vault, filter, analysis, best).await?;
        by_time.retain(|one| !found.iter().any(|other| other.hit.seq == one.hit.seq));
        found.extend(by_time);
    }
    Ok(candidates::merge(found))
}

/// Returns hits of the full-text index; `asked` holds those of the query as it stands, if they were found before. A
/// quoted phrase that no memory holds is just words, unless the query is nothing else.
async fn by_words(
    vault: &mut dyn VaultReader,
    query: &CheckedQuery,
    filter: &MemoryFilter,
    (analysis, corrections): (&Analysis, &[Correction]),
    asked: Option<Vec<LexicalHit>>,
) -> Result<Vec<Found>> {
    if !query.plan.on(Stage::Words) {
        let Some(quoted) = analysis.quoted_query(filter) else { return Ok(Vec::new()) };
        let hits = vault.lexical(&quoted, HITS).await?;
        return Ok(hits.into_iter().map(|hit| words::found(hit, &query.plan.weights)).collect());
    }
    let mut hits = match asked {
        Some(hits) => hits,
        None => vault.lexical(&analysis.lexical_query(replacements(corrections), filter, true), HITS).await?,
    };
    if hits.is_empty() && analysis.word_phrases().next().is_some() && !analysis.only_phrases {
        hits = vault.lexical(&analysis.lexical_query(replacements(corrections), filter, false), HITS).await?;
    }
    Ok(hits.into_iter().map(|hit| words::found(hit, &query.plan.weights)).collect())
}

/// Keeps what holds a phrase that only the text itself can confirm, and adds what holds nothing else.
fn retain_phrase(found: &mut Vec<Found>, holding: Vec<LexicalHit>, only_phrases: bool) {
    if holding.is_empty() && !only_phrases {
        return;
    }
    found.retain(|one| holding.iter().any(|hit| hit.seq == one.hit.seq));
    found.extend(holding.into_iter().map(|hit| Found::new(hit, 1.0, FoundBy::SUBSTRING)));
}

/// Returns memories of the times that the query names relative to now, whatever they say.
async fn of_named_times(
    vault: &mut dyn VaultReader,
    filter: &MemoryFilter,
    analysis: &Analysis,
    best: f64,
) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    let strength = time::strength(best);
    for range in &analysis.times.ranges {
        let mut within = filter.clone();
        within.occurred_after = Some(filter.occurred_after.map_or(range.start, |own| own.max(range.start)));
        within.occurred_before = Some(filter.occurred_before.map_or(range.end, |own| own.min(range.end)));
        if within.occurred_after < within.occurred_before {
            found.extend(listed(vault, &within, FoundBy::TIME, strength).await?);
        }
    }
    Ok(found)
}

/// Answers a query without a word: with memories that hold its text as it stands, or else with the newest ones.
async fn wordless(vault: &mut dyn VaultReader, query: &CheckedQuery, filter: &MemoryFilter) -> Result<Vec<Found>> {
    let signs = query.text.trim();
    let mut found = Vec::new();
    if !signs.is_empty() {
        let hits = vault.substring(signs, filter, DEPTH).await?;
        found.extend(hits.into_iter().map(|hit| Found::new(hit, 1.0, FoundBy::SUBSTRING)));
    }
    if found.is_empty() {
        found = listed(vault, filter, FoundBy::RECENT, 0.0).await?;
    }
    Ok(candidates::merge(found))
}

async fn listed(vault: &mut dyn VaultReader, filter: &MemoryFilter, by: FoundBy, strength: f64) -> Result<Vec<Found>> {
    let memories = vault.list(filter, ListOrder::NewestFirst, None, time::MOST, bounds::MAX_PAGE_BYTES).await?;
    Ok(memories.iter().map(|memory| Found::new(as_hit(memory), strength, by)).collect())
}

/// Makes a hit of a memory that was read whole. It has no position in a session and no speaker's number, so it adds nothing to others.
fn as_hit(memory: &Memory) -> LexicalHit {
    LexicalHit {
        seq: memory.seq,
        bm25: 0.0,
        spot: None,
        speaker: None,
        occurred_at: memory.occurred_at(),
        created_at: memory.created_at,
        traits: memory.traits,
        score: memory.score,
        tier: memory.draft.tier,
        stale: memory.belief.stale_since.is_some(),
    }
}
