//! The steps of a recall on a snapshot of a vault. Each reads what the pure functions of `recall` ask for, and no more.

mod answer;
mod cold;
mod documents;
mod ended;
mod find;
mod hops;
mod near;
mod notes;
mod session;
mod unknown;

pub(super) use session::last_turns;

use super::around::Around;
use super::input::CheckedQuery;
use super::output::QueryOutput;
use super::semantic::SemanticStatus;
use crate::error::Result;
use crate::memory::{MemoryFilter, RecordKind};
use crate::ports::VaultReader;
use crate::recall::analysis::{Analysis, analyze};
use crate::recall::candidates::Found;
use crate::recall::stages::highlights::Needles;
use crate::recall::stages::relevance::NOTHING_BELOW;
use crate::recall::stages::vectors::Near;
use crate::recall::stages::{adaptive, expand, neighbours, session as session_stage, weigh};
use crate::recall::{Ranked, Stage, Trace};
use crate::tagging::with_auto_tags;
use crate::usecases::past::as_known;
use documents::BestPassages;
use find::Beside;
use notes::counted;
use unknown::{Unknown, replacements};

/// The hits by words, and the version of the vault that they come from.
pub(super) struct ByWords {
    version: u64,
    analysis: Analysis,
    unknown: Unknown,
    found: Vec<Found>,
    passages: BestPassages,
    trace: Trace,
}

/// Analyses the query, and finds memories by its words.
pub(super) async fn words(
    vault: &mut dyn VaultReader,
    query: &CheckedQuery,
    filter: &MemoryFilter,
    around: &Around,
) -> Result<ByWords> {
    let version = vault.data_version().await?;
    let speakers = vault.speakers().await?;
    let mut trace = Trace::new(query.plan.stages);
    let text = session::rewritten(vault, (query, filter), around, &mut trace).await?;
    let read = |text: &str| analyze(text, &speakers, query.reference, &query.plan);
    let analysis = read(&text);
    let parts = if query.plan.on(Stage::Expand) { expand::parts(&text) } else { Vec::new() };
    trace.note(Stage::Expand, || counted(parts.len(), "part", "parts"));
    let alternatives = query.alternatives.as_deref().unwrap_or_default();
    trace.note(Stage::Alternatives, || match &query.alternatives {
        Ok(alternatives) => alternatives.join("; "),
        Err(without) => without.to_string(),
    });
    let beside = Beside {
        parts: parts.into_iter().map(read).collect(),
        alternatives: alternatives.iter().map(|text| read(text)).collect(),
    };
    let by_passages = query.plan.on(Stage::Passages) && query.plan.on(Stage::Words) && !analysis.is_wordless();
    let documents = if by_passages { documents::load(vault, filter, around).await? } else { Vec::new() };
    let mut unknown = unknown::find(vault, (&query.plan, &documents), &analysis, filter).await?;
    let mut found = find::find(vault, query, filter, (&analysis, &beside, &mut unknown), &mut trace).await?;
    let passages = if documents.is_empty() {
        BestPassages::new()
    } else {
        let asked = (&analysis, &unknown.corrections[..], &mut found);
        documents::add(vault, &documents, (filter, &query.plan), asked).await?
    };
    trace.note(Stage::Passages, || counted(passages.len(), "document", "documents"));
    if !analysis.only_phrases {
        hops::add(vault, (query, filter, &text), &mut found, around, &mut trace).await?;
    }
    trace.found(&found);
    trace.note(Stage::Typos, || counted(unknown.corrections.len(), "word replaced", "words replaced"));
    trace.note(Stage::Parts, || counted(unknown.parts.len(), "part looked for", "parts looked for"));
    Ok(ByWords { version, analysis, unknown, found, passages, trace })
}

/// Returns the answer, all of it from one snapshot. What words found before is used if nothing was written since.
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
        _ => words(vault, query, filter, around).await?,
    };
    let ByWords { analysis, unknown, mut found, passages, mut trace, .. } = by_words;
    let semantic = near::add(vault, filter, (&analysis, &mut found), near, around).await?;
    trace.left(Stage::Vectors, found.len());
    trace.note(Stage::Vectors, || match semantic {
        SemanticStatus::Used => String::new(),
        why_not => format!("not used: {}", why_not.name().replace('_', " ")),
    });
    let mut ranked = ranked(vault, (query, filter), &analysis, found, around, &mut trace).await?;
    cold::lower(vault, &mut ranked, query, around, &mut trace).await?;
    let session = session::memories(vault, query, around).await?;
    let first = session_stage::matches(&session, &analysis, replacements(&unknown.corrections), filter);
    trace.note(Stage::Session, || counted(first.len(), "matches", "match"));
    let needles = Needles::of(&query.text, &analysis, &unknown.corrections);
    let among = (filter, analysis.asks_past, &needles);
    let (mut best, ended) = answer::taken(vault, (&mut ranked, &first, &session), (query, among), &mut trace).await?;
    if query.plan.on(Stage::Adaptive) {
        best.truncate(adaptive::before_cliff(&best));
    }
    trace.left(Stage::Adaptive, best.len());
    as_known(vault, filter.known_as_of, best.iter_mut().map(|(_, memory)| memory).collect(), usize::MAX).await?;
    let texts = documents::texts(vault, &best, &passages).await?;
    let mut results = answer::answer((best, ended), texts, (&analysis, &unknown.corrections), query);
    let nothing_relevant =
        !results.is_empty() && results.iter().all(|one| one.relevance < NOTHING_BELOW.max(query.min_score));
    results.retain(|one| one.relevance >= query.min_score);
    trace.left(Stage::Relevance, results.len());
    with_auto_tags(vault, results.iter_mut().map(|one| &mut one.memory).collect()).await?;
    let (corrections, stages) = (unknown.corrections, trace.finish());
    Ok(QueryOutput { results, nothing_relevant, corrections, touches: Vec::new(), semantic, stages })
}

/// Scores what was found, and its neighbours.
async fn ranked(
    vault: &mut dyn VaultReader,
    (query, filter): (&CheckedQuery, &MemoryFilter),
    analysis: &Analysis,
    found: Vec<Found>,
    around: &Around,
    trace: &mut Trace,
) -> Result<Vec<Ranked>> {
    let plan = &query.plan;
    let lends = plan.on(Stage::Neighbours) && !analysis.only_phrases;
    let spots = if lends { neighbours::spots_around(&found) } else { Vec::new() };
    let beside = if spots.is_empty() { Vec::new() } else { vault.at_spots(&spots, &said(filter)).await? };
    let fusion = around.semantic.as_ref().map(|semantic| semantic.fusion).unwrap_or_default();
    let candidates = neighbours::gather(found, beside, plan);
    trace.left(Stage::Neighbours, candidates.len());
    let ranked = weigh::score(&candidates, analysis, query.reference, (fusion, plan));
    trace.weighed(&ranked);
    trace.note(Stage::Fuse, || {
        let joined = ranked.iter().find_map(|one| one.parts.fusion);
        joined.map_or_else(|| "words alone".to_owned(), |fusion| fusion.to_string())
    });
    Ok(ranked)
}

/// Returns the filter for neighbours in a session, without summaries: they only stand for what was said.
fn said(filter: &MemoryFilter) -> MemoryFilter {
    let mut filter = filter.clone();
    if filter.kinds.len() > 1 {
        filter.kinds.retain(|kind| *kind != RecordKind::Summary);
    }
    filter
}
