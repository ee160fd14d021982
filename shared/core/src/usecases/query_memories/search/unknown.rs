//! Finds words that no memory holds: misspelled ones, and those to search within other words.

use super::documents::Documents;
use crate::error::Result;
use crate::ids::Seq;
use crate::memory::MemoryFilter;
use crate::ports::{LexicalHit, LexicalQuery, LexicalTerm, VaultReader};
use crate::recall::analysis::{Analysis, Term};
use crate::recall::stages::parts;
use crate::recall::stages::typos::{self, Correction};
use crate::recall::weights::HITS;
use crate::recall::{Plan, Stage};

/// Words of the query that no memory holds: corrected ones with their replacements, and those to search as parts.
#[derive(Default)]
pub(super) struct Unknown {
    pub(super) corrections: Vec<Correction>,
    pub(super) parts: Vec<String>,
    /// Hits of the query as it stands, if every word is known.
    pub(super) found: Option<Vec<LexicalHit>>,
}

/// Decides what to do about words that no memory holds.
pub(super) async fn find(
    vault: &mut dyn VaultReader,
    (plan, documents): (&Plan, &Documents),
    analysis: &Analysis,
    filter: &MemoryFilter,
) -> Result<Unknown> {
    let mut result = Unknown::default();
    let [words, corrects, looks_within] = [Stage::Words, Stage::Typos, Stage::Parts].map(|stage| plan.on(stage));
    if analysis.is_wordless() || analysis.only_phrases || !words || !(corrects || looks_within) {
        return Ok(result);
    }
    let query = analysis.lexical_query(std::iter::empty(), filter, true);
    let known = vault.known_words(&typos::words_to_check(analysis), None).await?;
    if !known.contains(&false) {
        result.found = Some(vault.lexical(&query, HITS).await?);
    }
    let mut unknown = typos::unknown_terms(analysis, &known);
    unknown.retain(|term| !documents.iter().any(|(_, index)| index.knows(&term.folded)));
    if corrects {
        for term in typos::misspelled(&unknown) {
            let range = typos::vocabulary_range(term);
            let (shortest, longest) = range.lengths;
            let vocabulary = vault.vocabulary(&range.first_letters, shortest, longest).await?;
            let stems = typos::nearest(term, &vocabulary);
            let replacements = confirmed(vault, term, &stems, filter).await?;
            if !replacements.is_empty() {
                result.corrections.push(Correction { word: term.raw.clone(), replacements });
            }
        }
        unknown.retain(|term| !result.corrections.iter().any(|done| done.word == term.raw));
    }
    if looks_within {
        result.parts = parts::of(analysis, &unknown);
    }
    Ok(result)
}

/// Returns the intended words behind near stems. They come only from memories within the filter, as other words would
/// reveal what the filter hides.
async fn confirmed(
    vault: &mut dyn VaultReader,
    term: &Term,
    stems: &[String],
    filter: &MemoryFilter,
) -> Result<Vec<String>> {
    if stems.is_empty() {
        return Ok(Vec::new());
    }
    let any = stems.iter().flat_map(|stem| typos::spellings(stem)).map(|word| LexicalTerm::word(&word)).collect();
    let query = LexicalQuery { any, all: Vec::new(), filter: filter.clone() };
    let hits = vault.lexical(&query, typos::MAX_READ).await?;
    let seqs: Vec<Seq> = hits.iter().map(|hit| hit.seq).collect();
    let memories = vault.memories(&seqs).await?;
    let searched: Vec<_> = memories.iter().map(|memory| memory.draft.search_text()).collect();
    let contents: Vec<&str> = searched.iter().map(|text| &**text).collect();
    Ok(typos::confirmed(term, &contents))
}

/// Returns what is searched instead of unknown words.
pub(super) fn replacements(corrections: &[Correction]) -> impl Iterator<Item = &str> {
    corrections.iter().flat_map(|one| one.replacements.iter().map(String::as_str))
}
