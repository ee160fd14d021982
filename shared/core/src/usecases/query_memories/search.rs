//! The steps of a recall on a snapshot of a vault: each asks for what the pure functions of `recall` say, no more.

use std::sync::Arc;

use super::input::CheckedQuery;
use super::semantic::{self, SemanticRecall, SemanticStatus};
use super::{QueryOutput, Recalled};
use crate::bounds;
use crate::error::Result;
use crate::ids::{Seq, UserId};
use crate::memory::{ListOrder, Memory, MemoryFilter, Tier};
use crate::ports::{LexicalHit, LexicalQuery, LexicalTerm, VaultReader};
use crate::recall::analysis::{Analysis, Term, analyze};
use crate::recall::candidates::{self, Found};
use crate::recall::corrections::{self, Correction};
use crate::recall::near::Near;
use crate::recall::relevance::{self, NOTHING_BELOW};
use crate::recall::session_first;
use crate::recall::{DEPTH, Explanation, FoundBy, HITS, Ranked, SessionCache, SessionMemory, cut, parts, score};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;
use crate::usecases::embedding::is_disabled;

/// Most memories of a named time, and most recent ones, that take part.
const MAX_BY_TIME: usize = 50;
/// Most short-term memories of a session that come first.
const MAX_SESSION_MEMORIES: usize = 128;
/// Strength of a memory that fits only by its time, as a share of the best hit.
const TIME_STRENGTH: f64 = 0.3;

/// A word that no memory holds, with its replacements by word of the query; and those to search as parts.
#[derive(Default)]
struct Unknown {
    corrections: Vec<Correction>,
    parts: Vec<String>,
}

/// What words found in the vault as it was at a version.
pub(super) struct ByWords {
    version: u64,
    analysis: Analysis,
    unknown: Unknown,
    found: Vec<Found>,
}

/// Whose vault is searched, and with what besides it.
#[derive(Clone)]
pub(super) struct Around {
    pub(super) user: UserId,
    pub(super) cache: SessionCache,
    pub(super) semantic: Option<SemanticRecall>,
    pub(super) defaults: Arc<ServerDefaults>,
    pub(super) now: Timestamp,
}

/// Reads the query and finds what its words say.
pub(super) async fn words(vault: &mut dyn VaultReader, query: &CheckedQuery, filter: &MemoryFilter) -> Result<ByWords> {
    let version = vault.data_version().await?;
    let speakers = vault.speakers().await?;
    let analysis = analyze(&query.text, &speakers, query.reference, &query.weights);
    let unknown = unknown_words(vault, &analysis, filter).await?;
    let found = find(vault, query, filter, &analysis, &unknown).await?;
    Ok(ByWords { version, analysis, unknown, found })
}

/// The answer, all of it from one snapshot: what words found before holds if nothing was written since.
pub(super) async fn answer_from(
    vault: &mut dyn VaultReader,
    query: &CheckedQuery,
    filter: &MemoryFilter,
    before: Option<ByWords>,
    near: &Result<Near, SemanticStatus>,
    around: &Around,
) -> Result<QueryOutput> {
    let by_words = match before {
        Some(before) if before.version == vault.data_version().await? => before,
        _ => words(vault, query, filter).await?,
    };
    let ByWords { analysis, unknown, mut found, .. } = by_words;
    let semantic = add_near(vault, filter, (&analysis, &mut found), near, around).await?;
    let neighbours = match candidates::spots_around(&found) {
        spots if spots.is_empty() || analysis.only_phrases => Vec::new(),
        spots => vault.at_spots(&spots, filter).await?,
    };
    let fusion = around.semantic.as_ref().map(|semantic| semantic.fusion).unwrap_or_default();
    let ranked = score(
        &candidates::gather(found, neighbours, &query.weights),
        &analysis,
        query.reference,
        (fusion, &query.weights),
    );
    let session = session_memories(vault, query, around).await?;
    let first = session_first::matches(&session, &analysis, replacements(&unknown.corrections), filter);
    let best = cut::best(ranked, &first, query.top_k, query.reference);
    let mut memories = load(vault, &best, &session).await?;
    let mut results = answer(&best, &mut memories, (&analysis, &unknown.corrections), query.explain);
    let nothing_relevant =
        !results.is_empty() && results.iter().all(|one| one.relevance < NOTHING_BELOW.max(query.min_score));
    results.retain(|one| one.relevance >= query.min_score);
    Ok(QueryOutput { results, nothing_relevant, corrections: unknown.corrections, touches: Vec::new(), semantic })
}

/// Adds what vectors found, unless the user is not to have any: they may outlive that by a while.
async fn add_near(
    vault: &mut dyn VaultReader,
    filter: &MemoryFilter,
    (analysis, found): (&Analysis, &mut Vec<Found>),
    near: &Result<Near, SemanticStatus>,
    around: &Around,
) -> Result<SemanticStatus> {
    let (near, semantic) = match (near, &around.semantic) {
        (Ok(near), Some(semantic)) => (near, semantic),
        (Err(SemanticStatus::NoIndex), _) => {
            let disabled = is_disabled(vault, &around.defaults, around.now).await?;
            return Ok(if disabled { SemanticStatus::UserDisabled } else { SemanticStatus::NoIndex });
        }
        (Err(status), _) => return Ok(*status),
        (Ok(_), None) => return Ok(SemanticStatus::Off),
    };
    if vault.settings().await?.settings.embedding_enabled == Some(false) {
        return Ok(SemanticStatus::UserDisabled);
    }
    let seqs = wanted(analysis, found, near.standing_out());
    let passing = if seqs.is_empty() { Vec::new() } else { vault.at_seqs(&seqs, filter).await? };
    semantic::join(near, semantic, &around.user, passing, found);
    Ok(SemanticStatus::Used)
}

/// What may be found by its vector: anything, but where a quoted phrase chose what was found, nothing else.
fn wanted(analysis: &Analysis, found: &[Found], mut near: Vec<Seq>) -> Vec<Seq> {
    if !analysis.phrases.is_empty() && !found.is_empty() {
        near.retain(|seq| found.iter().any(|one| one.hit.seq == *seq));
    }
    near
}

fn replacements(corrections: &[Correction]) -> impl Iterator<Item = &str> {
    corrections.iter().flat_map(|one| one.replacements.iter().map(String::as_str))
}

/// What to do about words that no memory holds.
async fn unknown_words(vault: &mut dyn VaultReader, analysis: &Analysis, filter: &MemoryFilter) -> Result<Unknown> {
    let mut result = Unknown::default();
    if analysis.is_wordless() {
        return Ok(result);
    }
    let known = vault.known_words(&corrections::words_to_check(analysis), None).await?;
    let mut unknown = corrections::unknown_terms(analysis, &known);
    if !analysis.only_phrases {
        for term in corrections::misspelled(&unknown) {
            let range = corrections::vocabulary_range(term);
            let (shortest, longest) = range.lengths;
            let vocabulary = vault.vocabulary(&range.first_letters, shortest, longest).await?;
            let stems = corrections::nearest(term, &vocabulary);
            let replacements = confirmed(vault, term, &stems, filter).await?;
            if !replacements.is_empty() {
                result.corrections.push(Correction { word: term.raw.clone(), replacements });
            }
        }
        unknown.retain(|term| !result.corrections.iter().any(|done| done.word == term.raw));
        result.parts = parts::of(analysis, &unknown);
    }
    Ok(result)
}

/// The words behind near stems that were meant. Only what memories within the filter hold: other words would tell what
/// the filter hides.
async fn confirmed(
    vault: &mut dyn VaultReader,
    term: &Term,
    stems: &[String],
    filter: &MemoryFilter,
) -> Result<Vec<String>> {
    if stems.is_empty() {
        return Ok(Vec::new());
    }
    let any = stems.iter().flat_map(|stem| corrections::spellings(stem)).map(|word| LexicalTerm::word(&word)).collect();
    let query = LexicalQuery { any, all: Vec::new(), filter: filter.clone() };
    let hits = vault.lexical(&query, corrections::MAX_READ).await?;
    let seqs: Vec<Seq> = hits.iter().map(|hit| hit.seq).collect();
    let memories = vault.memories(&seqs).await?;
    let contents: Vec<&str> = memories.iter().map(|memory| memory.draft.content.as_str()).collect();
    Ok(corrections::confirmed(term, &contents))
}

/// Everything that is found by what it says or by when it happened.
async fn find(
    vault: &mut dyn VaultReader,
    query: &CheckedQuery,
    filter: &MemoryFilter,
    analysis: &Analysis,
    unknown: &Unknown,
) -> Result<Vec<Found>> {
    if analysis.is_wordless() {
        return wordless(vault, query, filter).await;
    }
    let mut found = by_words(vault, query, filter, (analysis, &unknown.corrections)).await?;
    let best = found.iter().map(|one| one.strength).fold(0.0, f64::max);
    let mut held = Vec::with_capacity(unknown.parts.len());
    for part in &unknown.parts {
        held.push(vault.substring(part, filter, parts::MAX_HELD).await?);
    }
    found.extend(parts::found(held, best));
    for phrase in analysis.text_phrases() {
        let holding = vault.substring(phrase, filter, bounds::MAX_PAGE_SIZE).await?;
        keep_phrase(&mut found, holding, analysis.only_phrases);
    }
    if !analysis.only_phrases {
        let mut by_time = of_named_times(vault, filter, analysis, best).await?;
        by_time.retain(|one| !found.iter().any(|other| other.hit.seq == one.hit.seq));
        found.extend(by_time);
    }
    Ok(candidates::merge(found))
}

/// Hits of the full-text index. A quoted phrase that no memory holds is just words, unless the query is nothing else.
async fn by_words(
    vault: &mut dyn VaultReader,
    query: &CheckedQuery,
    filter: &MemoryFilter,
    (analysis, corrections): (&Analysis, &[Correction]),
) -> Result<Vec<Found>> {
    let mut hits = vault.lexical(&analysis.lexical_query(replacements(corrections), filter, true), HITS).await?;
    if hits.is_empty() && analysis.word_phrases().next().is_some() && !analysis.only_phrases {
        hits = vault.lexical(&analysis.lexical_query(replacements(corrections), filter, false), HITS).await?;
    }
    Ok(hits.into_iter().map(|hit| Found::by_words(hit, &query.weights)).collect())
}

/// Keeps what holds a phrase that only the text itself can tell, and adds what holds nothing else.
fn keep_phrase(found: &mut Vec<Found>, holding: Vec<LexicalHit>, only_phrases: bool) {
    if holding.is_empty() && !only_phrases {
        return;
    }
    found.retain(|one| holding.iter().any(|hit| hit.seq == one.hit.seq));
    found.extend(holding.into_iter().map(|hit| Found::new(hit, 1.0, FoundBy::SUBSTRING)));
}

/// Memories of the times that the query names relative to now, whatever they say.
async fn of_named_times(
    vault: &mut dyn VaultReader,
    filter: &MemoryFilter,
    analysis: &Analysis,
    best: f64,
) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    let strength = TIME_STRENGTH * if best > 0.0 { best } else { 1.0 };
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

/// For a query without a word: memories that hold its text as it stands, else the newest ones.
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
    let memories = vault.list(filter, ListOrder::NewestFirst, None, MAX_BY_TIME, bounds::MAX_PAGE_BYTES).await?;
    Ok(memories.iter().map(|memory| Found::new(as_hit(memory), strength, by)).collect())
}

/// A memory that was read whole, as a hit. It has no place in a session and no speaker's number, so nothing is lent.
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
    }
}

/// Short-term memories of the active session: from the cache, or read once for this version of the vault.
async fn session_memories(
    vault: &mut dyn VaultReader,
    query: &CheckedQuery,
    Around { user, cache, .. }: &Around,
) -> Result<Arc<[SessionMemory]>> {
    let Some(session) = &query.active_session else { return Ok(Arc::from([])) };
    let version = vault.data_version().await?;
    if let Some(memories) = cache.get(user, session, version) {
        return Ok(memories);
    }
    let filter =
        MemoryFilter { tiers: vec![Tier::ShortTerm], session_id: Some(session.clone()), ..MemoryFilter::default() };
    let order = ListOrder::NewestFirst;
    let newest = vault.list(&filter, order, None, MAX_SESSION_MEMORIES, bounds::MAX_PAGE_BYTES).await?;
    let memories: Arc<[SessionMemory]> = newest.into_iter().map(session_first::prepared).collect();
    cache.put(user, session, version, Arc::clone(&memories));
    Ok(memories)
}

/// The winners: those of the session from the cache, the others from the vault.
async fn load(vault: &mut dyn VaultReader, best: &[Ranked], session: &[SessionMemory]) -> Result<Vec<Memory>> {
    let kept = |seq: Seq| session.iter().find(|one| one.memory.seq == seq).map(|one| one.memory.clone());
    let mut memories: Vec<Memory> = best.iter().filter_map(|one| kept(one.seq)).collect();
    let missing: Vec<Seq> = best.iter().map(|one| one.seq).filter(|seq| kept(*seq).is_none()).collect();
    if !missing.is_empty() {
        memories.extend(vault.memories(&missing).await?);
    }
    Ok(memories)
}

/// Puts memories and scores together, in the order of the scores.
fn answer(
    best: &[Ranked],
    memories: &mut Vec<Memory>,
    (analysis, corrections): (&Analysis, &[Correction]),
    explain: bool,
) -> Vec<Recalled> {
    let pairs: Vec<(&Ranked, Memory)> =
        best.iter().filter_map(|one| memory_of(one, memories).map(|memory| (one, memory))).collect();
    let texts: Vec<(&Ranked, &str)> = pairs.iter().map(|(one, memory)| (*one, memory.draft.content.as_str())).collect();
    let relevance = relevance::estimate(&texts, analysis, corrections);
    let explanation = |one: &Ranked, content: &str| {
        let found_by = corrections::found_by(one.parts.found_by, content, analysis, corrections);
        Explanation { found_by, ..one.parts }
    };
    let recalled = |((one, memory), relevance): ((&Ranked, Memory), f64)| Recalled {
        explanation: explain.then(|| explanation(one, &memory.draft.content)),
        score: one.score,
        relevance,
        memory,
    };
    pairs.into_iter().zip(relevance).map(recalled).collect()
}

fn memory_of(one: &Ranked, memories: &mut Vec<Memory>) -> Option<Memory> {
    let index = memories.iter().position(|memory| memory.seq == one.seq)?;
    Some(memories.swap_remove(index))
}
